// expect: pass-complete
#include <symex.h>
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  int y;
  symex_make_symbolic(&y, sizeof y, "y");
  int sum = (int)((unsigned)x + (unsigned)y);
  return sum == 0 && x == 1 && y == 1;
}
