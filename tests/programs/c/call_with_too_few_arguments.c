// expect: bug invalid-call
#include <symex.h>
static int add(int a, int b) { return a + b; }
int main(void) {
  int n = symex_range(0, 100, "n");
  int (*volatile f)(int, int) = add;
  if (n == 33) return ((int (*)(int))f)(n);
  return f(n, 1);
}
