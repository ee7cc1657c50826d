// expect: bug undefined
// text: the length of a variable-length array is not positive
// at: 6:3
#include <symex.h>
static int fill(int n) {
  char a[n];
  a[0] = 1;
  return a[0];
}
int main(void) {
  int n;
  symex_make_symbolic(&n, sizeof n, "n");
  symex_assume(n < 9 && n > -2);
  return fill(n) - 1;
}
