// expect: bug invalid-call
#include <symex.h>
static int twice(long n) { return (int)n * 2; }
int main(void) {
  int n = symex_range(0, 100, "n");
  int (*volatile f)(long) = twice;
  if (n == 33) return ((int (*)(double))f)(n);
  return f(n);
}
