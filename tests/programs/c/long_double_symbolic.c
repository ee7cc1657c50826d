// expect: bug abort
#include <assert.h>
#include <stdio.h>
#include <symex.h>

/* What depends on an input is a term like that of any other float. */
int main(void) {
  short n;
  symex_make_symbolic(&n, sizeof n, "n");
  long double x = n;
  assert(x / 2 * 2 == n && x + 0.5L > x && (short)x == n);
  struct {
    char tag;
    long double x;
  } copy = {1, x};
  long double y = copy.x * 0.125L + 1.0L;
  assert(y != -15.25L || n == -130);
  assert(y != 78.125L); /* n is 617 */
  return 0;
}
