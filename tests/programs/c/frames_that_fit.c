// expect: pass-complete
#include <symex.h>
static int deep(int n) {
  volatile char local[65536];
  local[n] = n;
  return n ? deep(n - 1) + local[n] : 0;
}
int main(void) {
  int sum = symex_range(0, 2, "n") ? deep(100) : deep(50);
  /* Each turn frees what it has. */
  for (int i = 1; i < 200; i++) {
    volatile char local[65536 - i % 2];
    local[i % 7] = 1;
    sum += local[i % 7];
  }
  return sum == 0;
}
