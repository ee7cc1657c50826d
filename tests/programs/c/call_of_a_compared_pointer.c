// expect: pass-complete
#include <assert.h>
#include <symex.h>
static int one(void) { return 1; }
static int two(void) { return 2; }
int main(void) {
  int (*function)(void);
  symex_make_symbolic(&function, sizeof function, "function");
  if (function == one) assert(function() == 1);
  if (function == one || function == two) assert(function() == 1 + (function == two));
  return 0;
}
