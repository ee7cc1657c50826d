// expect: pass-complete
#include <symex.h>
__attribute__((nonnull)) static int first(const int *p) {
  return p == 0;
}
static const int one = 1;
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  return first(x == 7 ? &one + 0 : &one);
}
