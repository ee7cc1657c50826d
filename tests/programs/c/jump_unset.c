// expect: bug uninit-use
#include <setjmp.h>
#include <symex.h>
int main(void) {
  jmp_buf buffer;
  int n;
  symex_make_symbolic(&n, sizeof n, "n");
  if (n != 5) setjmp(buffer);
  if (n == 5) longjmp(buffer, 1);
  return 0;
}
