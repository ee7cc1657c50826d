// expect: pass-complete paths 1
#include <symex.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  size_t n, k, i;
  symex_make_symbolic(&n, sizeof n, "n");
  symex_make_symbolic(&k, sizeof k, "k");
  symex_make_symbolic(&i, sizeof i, "i");
  symex_assume((n >= 1) & (n <= 4000) & (k <= n) & (i < k));
  char *p = malloc(n);
  memset(p, 1, k);
  if (p[i] != 1) abort();
  free(p);
  return 0;
}
