// expect: pass-complete paths 3
#include <symex.h>
#include <assert.h>
static int one(int x) { return x + 1; }
static int two(int x) { return x + 2; }
static int three(int x) { return x + 3; }
static int (*const table[])(int) = {one, two, three};
int main(void) {
  unsigned i;
  symex_make_symbolic(&i, sizeof i, "i");
  symex_assume(i < 3);
  int r = table[i](10);
  assert(r == 11 + (int)i);
  return 0;
}
