// expect: bug shift-too-far
// text: shift by a negative amount or by the width or more, or of a value that does not fit
// at: 10:13
#include <symex.h>
int main(void) {
  unsigned x;
  symex_make_symbolic(&x, sizeof x, "x");
  int by;
  symex_make_symbolic(&by, sizeof by, "by");
  return (x >> by) == 3 && by == 40;
}
