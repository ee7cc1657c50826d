// expect: bug out-of-bounds
#include <stdarg.h>
#include <symex.h>
static int last(int n, ...) {
  va_list list;
  int x = 0;
  va_start(list, n);
  while (n-- > 0) x = va_arg(list, int);
  va_end(list);
  return x;
}
int main(void) {
  int n = symex_range(0, 4, "n");
  last(n, 1, 2);
  return 0;
}
