// expect: bug stack-overflow
#include <symex.h>
static int deep(int n) {
  volatile char local[65536];
  local[n] = n;
  return n ? deep(n - 1) + local[n] : 0;
}
int main(void) {
  /* 200 of these are more than a stack has. */
  if (symex_range(0, 4, "n") == 3)
    return deep(200) == 1;
  return deep(50) == 1;
}
