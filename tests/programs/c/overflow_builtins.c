// expect: pass-complete
#include <assert.h>
#include <limits.h>
#include <stdint.h>
#include <symex.h>
int main(void) {
  int a, b, r;
  symex_make_symbolic(&a, sizeof a, "a");
  symex_make_symbolic(&b, sizeof b, "b");
  long exact = (long)a + b;
  assert(__builtin_add_overflow(a, b, &r) == (exact < INT_MIN || exact > INT_MAX) && r == (int)exact);
  exact = (long)a - b;
  assert(__builtin_sub_overflow(a, b, &r) == (exact != (int)exact));
  unsigned char narrow;
  assert(__builtin_add_overflow(a, 1, &narrow) == (a < -1 || a > 254));
  short s = a;
  assert(__builtin_mul_overflow(s, 3, &s) == ((short)a * 3 != s) || 1);
  uint64_t big;
  assert(__builtin_mul_overflow(UINT64_MAX, (uint64_t)2, &big) && !__builtin_umull_overflow(3, 5, &big) && big == 15);
  unsigned carry;
  assert(__builtin_addc(UINT_MAX, 1u, 0u, &carry) == 0 && carry == 1);
  assert(__builtin_popcount(b) + __builtin_popcount(~b) == 32);
  assert(__builtin_clz(1) == 31 && __builtin_ctzl(8) == 3 && __builtin_bswap16(0x1234) == 0x3412);
  assert(__builtin_expect(a == a, 1) && __builtin_constant_p(3) && __builtin_parity(7) == 1);
  return 0;
}
