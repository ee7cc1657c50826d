// expect: pass-complete
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <symex.h>
static int old(a, b, c) int a; char b; double c; { return a + b + (int)c; }
static int unknown();
static int unknown(a) int a; { return a + 1; }
static int kind(uint64_t n) {
  switch (n) {
  case 0x8000000000000000: return 1;
  case 0x7fffffffffffffff: return 2;
  case 5 ... 1000000000000: return 3;
  default: return 0;
  }
}
static void added(int *restrict to, const int *restrict from, int n) {
  for (int i = 0; i < n; i++) to[i] += from[i];
}
static const char *text(int n) { return n ? "same text" : "text"; }
int main(void) {
  uint64_t x;
  symex_make_symbolic(&x, sizeof x, "x");
  assert(old(1, 'a', 2.9) == 1 + 'a' + 2 && unknown(4) == 5);
  int k = kind(x);
  assert(k == (x == 1ull << 63 ? 1 : x == ~0ull >> 1 ? 2 : x >= 5 && x <= 1000000000000 ? 3 : 0));
  int to[3] = {1, 2, 3}, from[3] = {10, 20, (int)(x & 0xff)};
  added(to, from, 3);
  assert(to[2] == 3 + (int)(x & 0xff));
  assert(!strcmp(text(1) + 5, text(0)) && strlen("a" "b" "\x63") == 3);
  int designated[] = {[2] = 5, 6, [0] = 1};
  assert(sizeof designated == 16 && designated[3] == 6 && designated[1] == 0);
  int statement = ({ int y = designated[2]; y * 2; });
  assert(statement == 10 && (x ?: 7) == (x ? x : 7));
  _Static_assert(_Generic(x, uint64_t: 1, default: 0), "its type");
  return 0;
}
