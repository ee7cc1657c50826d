// expect: pass-complete
#include <symex.h>
#include <stdbool.h>
int main(void) {
  bool b;
  symex_make_symbolic(&b, sizeof b, "b");
  unsigned char byte = *(unsigned char *)&b;
  symex_assume(byte <= 1);
  return b ? 0 : 0;
}
