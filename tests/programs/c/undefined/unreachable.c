// expect: bug unreachable-reached
// text: unreachable code reached
// at: 7:3
#include <symex.h>
static int digit(unsigned c) {
  if (c <= 9) return (int)c;
  __builtin_unreachable();
}
int main(void) {
  unsigned c;
  symex_make_symbolic(&c, sizeof c, "c");
  return digit(c) > 9;
}
