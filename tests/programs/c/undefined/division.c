// expect: bug division-by-zero
// text: division by zero, or of the smallest value by -1
// at: 11:12
#include <symex.h>
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  int y;
  symex_make_symbolic(&y, sizeof y, "y");
  symex_assume(x != -2147483647 - 1);
  return x / y == 3 && y == 0;
}
