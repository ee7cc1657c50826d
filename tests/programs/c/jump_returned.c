// expect: bug undefined
#include <setjmp.h>
#include <symex.h>
static jmp_buf buffer;
static int mark(void) { return setjmp(buffer); }
int main(void) {
  int n;
  symex_make_symbolic(&n, sizeof n, "n");
  if (mark() == 0 && n == 77) longjmp(buffer, 1);
  return 0;
}
