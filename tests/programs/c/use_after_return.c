// expect: bug use-after-free
#include <symex.h>
#include <stdlib.h>
static int *leak(int n) { int x[2] = {n, n}; int *volatile p = x; return p; }
int main(void) {
  int n;
  symex_make_symbolic(&n, sizeof n, "n");
  if (n == 12 && *leak(n) == 3) abort();
  return 0;
}
