// expect: bug uninit-use
#include <stdint.h>
#include <symex.h>
union word { int64_t number; char text[8]; };
static const union word *second(const union word *p, int n) { return n > 2 ? p : 0; }
int main(void) {
  union word x;
  x.text[0] = '-';
  int n = symex_range(0, 5, "n");
  const union word *p = second(&x, n);
  if (p && p->number > 0) return 2;
  return 0;
}
