// expect: bug invalid-call
#include <symex.h>
static int twice(int n) { return n * 2; }
int main(void) {
  int n = symex_range(0, 100, "n");
  int (*volatile f)(int) = twice;
  if (n == 33) return ((int (*)(long long))f)(n);
  return f(n);
}
