// expect: bug undefined
// text: a value that its type does not have was read
// at: 9:10
#include <symex.h>
#include <stdbool.h>
int main(void) {
  bool b;
  symex_make_symbolic(&b, sizeof b, "b");
  return b ? 0 : 0;
}
