// expect: bug invalid-call
#include <symex.h>
static int half(int n) { return n / 2; }
int main(void) {
  int n = symex_range(0, 100, "n");
  int (*volatile f)(int) = half;
  if (n == 33) return (int)((long (*)(int))f)(n) & 1;
  return f(n) & 1;
}
