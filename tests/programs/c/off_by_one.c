// expect: bug out-of-bounds
#include <symex.h>
#include <stdlib.h>
int main(void) {
  unsigned n;
  symex_make_symbolic(&n, sizeof n, "n");
  symex_assume(n >= 1 && n <= 6);
  char *p = malloc(n);
  for (unsigned i = 0; i <= n; i++)
    if (i < 5) p[i] = 1;
  free(p);
  return 0;
}
