// expect: pass-complete
#include <symex.h>
int main(void) {
  signed char x;
  symex_make_symbolic(&x, sizeof x, "x");
  int wide = x * 256;
  return wide == 1;
}
