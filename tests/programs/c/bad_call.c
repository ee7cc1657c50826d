// expect: bug invalid-call
#include <symex.h>
int main(void) {
  long n;
  symex_make_symbolic(&n, sizeof n, "n");
  static int data;
  void (*volatile f)(void) = (void (*)(void))&data;
  if (n == 7) f();
  return 0;
}
