// A pointer that walks from one object into the next one.
// expect: bug out-of-bounds
#include <symex.h>
int main(void) {
  char a[8] = {0}, b[8] = {0};
  int i;
  symex_make_symbolic(&i, sizeof i, "i");
  symex_assume(i >= 0 && i < 16);
  a[i] = 1;
  return b[0];
}
