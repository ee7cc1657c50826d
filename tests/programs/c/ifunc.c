// expect: inconclusive
#include <assert.h>
#include <symex.h>
static int plain(int n) { return n + 1; }
static int fast(int n) { return n + 1 + 0 * n; }
static int (*resolve(void))(int) { return sizeof(long) == 8 ? plain : fast; }
int next(int n) __attribute__((ifunc("resolve")));
int main(void) {
  int n = symex_range(0, 100, "n");
  assert(next(n) == n + 1);
  return 0;
}
