// expect: bug undefined
// text: the end of a function was reached without a return
// at: 7:11
#include <symex.h>
static int sign(int x) {
  if (x < 0) return -1;
  if (x > 0) return 1;
}
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  return sign(x) == 5;
}
