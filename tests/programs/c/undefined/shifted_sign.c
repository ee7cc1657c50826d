// expect: bug shift-too-far
// text: shift by a negative amount or by the width or more, or of a value that does not fit
// at: 8:16
#include <symex.h>
int main(void) {
  signed char x;
  symex_make_symbolic(&x, sizeof x, "x");
  int wide = x << 8;
  return wide == 1;
}
