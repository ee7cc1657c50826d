// expect: inconclusive
#include <symex.h>
static void *buffer[5];
int main(void) {
  int n = symex_range(0, 100, "n");
  if (n != 33) return 0;
  if (__builtin_setjmp(buffer)) return 1;
  __builtin_longjmp(buffer, 1);
}
