// expect: bug undefined
// text: a builtin function was called with a value that it forbids
// at: 8:10
#include <symex.h>
int main(void) {
  unsigned x;
  symex_make_symbolic(&x, sizeof x, "x");
  return __builtin_clz(x) == 32;
}
