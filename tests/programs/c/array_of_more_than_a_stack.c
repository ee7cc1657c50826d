// expect: bug stack-overflow
#include <symex.h>
int main(void) {
  int n = symex_range(1, 5, "n");
  volatile char local[n * 4000000];
  local[0] = 1;
  return local[0] - 1;
}
