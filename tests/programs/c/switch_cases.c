// expect: pass-complete paths 4
#include <symex.h>
int main(void) {
  unsigned char c;
  symex_make_symbolic(&c, 1, "c");
  volatile int r = 0;
  switch (c) {
  case 'a': case 'b': case 'c': r = 1; break;
  case 'x': r = 2; break;
  case 'y': r = r + 3; break;
  default: r = 4;
  }
  return 0;
}
