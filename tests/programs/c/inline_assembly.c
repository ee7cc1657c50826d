// expect: inconclusive
#include "symex.h"
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  if (x == 3) __asm__ volatile("cpuid" : "+a"(x) : : "rbx", "rcx", "rdx");
  return 0;
}
