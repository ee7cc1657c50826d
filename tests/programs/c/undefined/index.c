// expect: bug out-of-bounds
// text: array index out of bounds
// at: 10:10
#include <symex.h>
static const int table[4] = {1, 2, 3, 4};
int main(void) {
  unsigned i;
  symex_make_symbolic(&i, sizeof i, "i");
  symex_assume(i <= 4);
  return table[i] == 0;
}
