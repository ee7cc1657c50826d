// expect: bug abort
#include <assert.h>
#include <symex.h>
static int n;
__attribute__((destructor)) static void check(void) { assert(n != 77); }
int main(void) {
  n = symex_range(0, 100, "n");
  return 0;
}
