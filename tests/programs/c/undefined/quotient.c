// expect: bug division-by-zero
// text: division by zero, or of the smallest value by -1
// at: 8:12
#include <symex.h>
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  return x % -1 != 0;
}
