// expect: bug uninit-use
#include <symex.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  unsigned n;
  symex_make_symbolic(&n, sizeof n, "n");
  symex_assume(n <= 4);
  int *p = malloc(4 * sizeof *p);
  if (!p) return 0;
  for (unsigned i = 0; i < n; i++) p[i] = 1;
  int r = 0;
  if (p[2] == 1) puts("one");
  free(p);
  return r;
}
