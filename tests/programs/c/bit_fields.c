// expect: pass-complete
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <symex.h>
struct flags {
  unsigned a : 1;
  signed b : 4;
  bool c : 1;
  unsigned : 0;
  uint64_t wide : 37;
  int64_t negative : 27;
  unsigned char low : 3, : 2, high : 3;
};
struct __attribute__((packed)) packed { unsigned a : 5; uint32_t across; unsigned b : 11; };
static struct flags table[3] = {{1, -8, true, 5, -6, 7, 1}, {0}};
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  assert(table[0].b == -8 && table[0].wide == 5 && table[0].negative == -6 && table[0].high == 1 && !table[2].c);
  struct flags f = table[x & 1];
  f.b = x, f.c = x, f.wide = (uint64_t)(int64_t)x, f.negative = x, f.high = x;
  assert(f.b == (int)((unsigned)x << 28) >> 28);
  assert(f.c == (x != 0) && f.a == !(x & 1));
  assert(f.wide == ((uint64_t)(int64_t)x & 0x1fffffffff) && f.negative == (int)((unsigned)x << 5) >> 5);
  assert(f.high == (x & 7) && f.low == (x & 1 ? 0 : 7));
  struct packed p[2] = {{1, 2, 3}, {4, 5, 6}};
  p[1].across = x;
  p[1].a++;
  assert(sizeof(struct packed) == 7 && p[1].across == (uint32_t)x && p[1].a == 5 && p[1].b == 6 && p[0].b == 3);
  return 0;
}
