// expect: bug arithmetic-overflow
// text: negation of the smallest value of a signed integer type
// at: 8:10
#include <symex.h>
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  return -x == 99 && x == 99;
}
