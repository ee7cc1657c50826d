// expect: bug out-of-bounds paths 2
#include <symex.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  size_t n;
  symex_make_symbolic(&n, sizeof n, "n");
  symex_assume((n >= 1) & (n <= 4000));
  char *p = malloc(n);
  memset(p, 1, n == 3000 ? n + 1 : n);
  free(p);
  return 0;
}
