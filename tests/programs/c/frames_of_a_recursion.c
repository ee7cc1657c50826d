// expect: bug stack-overflow
#include <symex.h>
static int deep(int n) {
  volatile char local[4096];
  local[n] = n;
  return n ? deep(n - 1) + local[n] : 0;
}
int main(void) {
  /* 3,000 of these are more than a stack has. */
  return deep(1000 * symex_range(0, 4, "n")) == 1;
}
