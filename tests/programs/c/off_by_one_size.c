// expect: bug out-of-bounds paths 2
#include <symex.h>
#include <stdlib.h>
int main(void) {
  size_t n;
  symex_make_symbolic(&n, sizeof n, "n");
  symex_assume((n >= 1) & (n <= 64));
  char *p = malloc(n);
  p[n == 17 ? n : n - 1] = 0;
  free(p);
  return 0;
}
