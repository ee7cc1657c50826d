// expect: bug arithmetic-overflow
// text: signed integer multiplication overflow in 'x * 1000003'
// at: 8:12
#include <symex.h>
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  return x * 1000003 == 7;
}
