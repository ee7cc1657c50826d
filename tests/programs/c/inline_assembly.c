// expect: inconclusive
#include <symex.h>
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  if (x == 3) __asm__ volatile("popcntl %1, %0" : "=r"(x) : "r"(x));
  return 0;
}
