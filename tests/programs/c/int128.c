// expect: pass-complete
#include <assert.h>
#include <stdint.h>
#include <symex.h>
typedef unsigned __int128 u128;
typedef __int128 i128;
static u128 joined(uint64_t high, uint64_t low) { return (u128)high << 64 | low; }
static i128 table[2] = {(i128)1 << 100, -5};
static int kind(u128 n) {
  switch (n) {
  case 0: return 0;
  case (u128)1 << 100: return 1;
  case ((u128)1 << 100) + 5 ... ((u128)1 << 100) + 9: return 2;
  default: return 3;
  }
}
int main(void) {
  uint64_t x;
  symex_make_symbolic(&x, sizeof x, "x");
  u128 n = joined(x, 7);
  assert((uint64_t)(n >> 64) == x && (uint64_t)n == 7);
  assert(n - 7 + 1 == joined(x, 1) && (n < ((u128)1 << 64)) == (x == 0));
  assert(table[0] * 4 == (i128)1 << 102 && table[1] / 2 == -2 && table[1] % 2 == -1 && (int)table[1] == -5);
  assert((u128)x * x >> 64 <= x);
  assert(joined(0, 1000) * 1000 / 7 == 142857 && (double)table[0] == 0x1p100);
  uint16_t small = x;
  assert(kind(((u128)1 << 100) + small) == (small == 0 ? 1 : small >= 5 && small <= 9 ? 2 : 3));
  i128 sum;
  assert(__builtin_add_overflow((i128)(~(u128)0 >> 1), 1, &sum));
  assert(!__builtin_sub_overflow(table[0], table[1], &sum) && sum == table[0] + 5);
  return 0;
}
