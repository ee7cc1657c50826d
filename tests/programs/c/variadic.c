// expect: pass-complete
#include <symex.h>
#include <assert.h>
#include <stdarg.h>
static long sum(int n, ...) {
  va_list l, m;
  va_start(l, n);
  va_copy(m, l);
  long s = 0;
  for (int i = 0; i < n; i++) s += i % 2 ? va_arg(l, long) : va_arg(l, int);
  assert(va_arg(m, int) == 1);
  va_end(m); va_end(l);
  return s;
}
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  symex_assume(x > -1000 && x < 1000);
  assert(sum(3, 1, 20L, x) == 21 + x);
  return 0;
}
