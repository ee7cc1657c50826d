// expect: pass-complete
#include <symex.h>
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  symex_assume(x != -2147483647 - 1);
  return -x == 99 && x == 99;
}
