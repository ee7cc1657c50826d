// expect: bug arithmetic-overflow
// text: signed integer subtraction overflow in 'wide - x'
// at: 11:15
#include <symex.h>
int main(void) {
  short a;
  symex_make_symbolic(&a, sizeof a, "a");
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  int wide = a - 1;
  return wide - x == 0 && x == 1;
}
