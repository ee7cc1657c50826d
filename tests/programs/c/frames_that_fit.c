// expect: pass-complete
#include <symex.h>
static int deep(int n) {
  volatile char local[4096];
  local[n] = n;
  return n ? deep(n - 1) + local[n] : 0;
}
int main(void) {
  int sum = deep(1000 * symex_range(0, 2, "n")) == 1;
  /* Each turn frees what it has. */
  for (int i = 1; i < 5000; i++) {
    volatile char local[4096 - i % 2];
    local[i % 7] = 1;
    sum += local[i % 7];
  }
  return sum == 0;
}
