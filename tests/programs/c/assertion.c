// expect: bug abort
#include <symex.h>
#include <assert.h>
int main(void) {
  int x, y;
  symex_make_symbolic(&x, sizeof x, "x");
  symex_make_symbolic(&y, sizeof y, "y");
  symex_assume(x > 0 && y > 0 && x < 1000 && y < 1000);
  assert(x * y != 851);
  return 0;
}
