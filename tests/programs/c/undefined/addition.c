// expect: bug arithmetic-overflow
// text: signed integer addition overflow in 'x + y'
// at: 10:15
#include <symex.h>
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  int y;
  symex_make_symbolic(&y, sizeof y, "y");
  int sum = x + y;
  return sum == 0 && x == 1 && y == 1;
}
