// expect: pass-complete
#include <assert.h>
#include <stddef.h>
#include <symex.h>
extern int absent(int) __attribute__((weak));
extern int absent_variable __attribute__((weak));
__attribute__((weak)) int chosen(int n) { return n + 1; }
static int real(int n) { return n * 2; }
int other(int n) __attribute__((alias("real")));
int weak_other(int n) __attribute__((weak, alias("real")));
int number = 4;
extern int same_number __attribute__((alias("number")));
int tentative;
int tentative;
int tentative = 3;
int common_block[4];
static inline int inlined(int n) { return n - 1; }
inline int also_inlined(int n) { return n - 2; }
extern int also_inlined(int n);
__attribute__((visibility("hidden"))) int hidden = 5;
int (*const table[])(int) = {chosen, other, inlined, absent};
int main(void) {
  int n = symex_range(0, 100, "n");
  assert(absent == NULL && &absent_variable == NULL && table[3] == NULL);
  assert(chosen(n) == n + 1 && other(n) == 2 * n && weak_other(n) == 2 * n && other == real);
  same_number = n;
  assert(number == n);
  assert(tentative == 3 && common_block[3] == 0 && hidden == 5);
  assert(inlined(n) == n - 1 && also_inlined(n) == n - 2);
  assert(table[n % 3](10) == (n % 3 == 0 ? 11 : n % 3 == 1 ? 20 : 9));
  if (n == 200) return absent(n);
  return 0;
}
