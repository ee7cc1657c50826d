// expect: pass-complete
#include <symex.h>
int main(void) {
  short x;
  symex_make_symbolic(&x, sizeof x, "x");
  double d = x;
  return d > -128 && d < 128 && (signed char)d == 77 && x == 300;
}
