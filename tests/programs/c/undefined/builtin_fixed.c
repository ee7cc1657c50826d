// expect: pass-complete
#include <symex.h>
int main(void) {
  unsigned x;
  symex_make_symbolic(&x, sizeof x, "x");
  return x != 0 && __builtin_clz(x) == 32;
}
