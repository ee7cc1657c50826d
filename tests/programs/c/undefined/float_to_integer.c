// expect: bug arithmetic-overflow
// text: a floating-point value does not fit the type it is converted to
// at: 9:10
#include <symex.h>
int main(void) {
  short x;
  symex_make_symbolic(&x, sizeof x, "x");
  double d = x;
  return (signed char)d == 77 && x == 300;
}
