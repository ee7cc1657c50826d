// expect: bug uninit-use
#include <stdlib.h>
#include <symex.h>
struct pair { int a, b; };
static int positive(const struct pair *p) { return p->b > 0; }
int main(void) {
  struct pair x;
  x.a = symex_range(0, 5, "n");
  if (positive(&x)) abort();
  return 0;
}
