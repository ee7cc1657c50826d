// expect: bug invalid-call
#include <symex.h>
static int one(void) { return 1; }
int main(void) {
  char *function;
  symex_make_symbolic(&function, sizeof function, "function");
  if (function < (char *)one || function > (char *)one + 1) return 0;
  return ((int (*)(void))function)() - 1;
}
