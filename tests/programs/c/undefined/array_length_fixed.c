// expect: pass-complete
#include <symex.h>
static int fill(int n) {
  char a[n];
  a[0] = 1;
  return a[0];
}
int main(void) {
  int n;
  symex_make_symbolic(&n, sizeof n, "n");
  symex_assume(n < 9 && n > 0);
  return fill(n) - 1;
}
