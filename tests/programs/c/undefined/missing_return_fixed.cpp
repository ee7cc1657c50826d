// expect: pass-complete
#include <symex.h>
static int sign(int x) {
  if (x < 0) return -1;
  if (x > 0) return 1;
}
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  return x != 0 && sign(x) == 5;
}
