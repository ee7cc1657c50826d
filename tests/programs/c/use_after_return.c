// expect: bug use-after-free
#include "symex.h"
static int *leak(int n) { int x[2] = {n, n}; int *volatile p = x; return p; }
int main(void) {
  int n;
  symex_make_symbolic(&n, sizeof n, "n");
  if (n == 12) return *leak(n) == 0;
  return 0;
}
