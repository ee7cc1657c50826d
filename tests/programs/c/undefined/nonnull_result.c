// expect: bug undefined
// text: null returned where the declaration forbids it
// at: 7:3
#include <symex.h>
static const int one = 1;
__attribute__((returns_nonnull, noinline)) static const int *find(int x) {
  return x == 7 ? 0 : &one;
}
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  return find(x) == 0;
}
