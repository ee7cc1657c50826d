// expect: pass-complete
#include <symex.h>
static int digit(unsigned c) {
  if (c <= 9) return (int)c;
  __builtin_unreachable();
}
int main(void) {
  unsigned c;
  symex_make_symbolic(&c, sizeof c, "c");
  symex_assume(c <= 9);
  return digit(c) > 9;
}
