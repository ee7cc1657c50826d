// expect: pass-complete
#include <symex.h>
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  return (long)x % -1 != 0;
}
