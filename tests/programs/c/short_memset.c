// expect: bug uninit-use
#include <symex.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  size_t n, i;
  symex_make_symbolic(&n, sizeof n, "n");
  symex_make_symbolic(&i, sizeof i, "i");
  symex_assume((n >= 1) & (n <= 4000) & (i < n));
  char *p = malloc(n);
  memset(p, 1, n == 3000 ? n - 1 : n);
  if (p[i] != 1) abort();
  free(p);
  return 0;
}
