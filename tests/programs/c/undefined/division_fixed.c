// expect: pass-complete
#include <symex.h>
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  int y;
  symex_make_symbolic(&y, sizeof y, "y");
  symex_assume(x != -2147483647 - 1);
  return y != 0 && x / y == 3 && y == 0;
}
