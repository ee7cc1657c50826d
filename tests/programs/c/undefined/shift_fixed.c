// expect: pass-complete
#include <symex.h>
int main(void) {
  unsigned x;
  symex_make_symbolic(&x, sizeof x, "x");
  int by;
  symex_make_symbolic(&by, sizeof by, "by");
  return (x >> (by & 31)) == 3 && by == 40 && x == 0;
}
