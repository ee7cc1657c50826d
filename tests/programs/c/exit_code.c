// expect: pass-complete paths 2
#include <symex.h>
#include <stdlib.h>
int main(void) {
  char c;
  symex_make_symbolic(&c, 1, "c");
  if (c == 'q') exit(0);
  return 0;
}
