// expect: bug undefined
// text: a value that its type does not have was read
// at: 9:10
#include <symex.h>
enum step { push, pop, keep };
int main(void) {
  enum step s;
  symex_make_symbolic(&s, sizeof s, "s");
  return s == keep ? 0 : 0;
}
