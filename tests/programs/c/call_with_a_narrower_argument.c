// expect: bug invalid-call
#include <symex.h>
static long twice(long n) { return n * 2; }
int main(void) {
  int n = symex_range(0, 100, "n");
  long (*volatile f)(long) = twice;
  if (n == 33) return (int)((long (*)(int))f)(n);
  return (int)f(n);
}
