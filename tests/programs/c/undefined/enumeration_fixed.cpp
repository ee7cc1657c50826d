// expect: pass-complete
#include <symex.h>
enum step { push, pop, keep };
int main(void) {
  enum step s;
  symex_make_symbolic(&s, sizeof s, "s");
  unsigned number = *(unsigned *)&s;
  symex_assume(number <= 3);
  return s == keep ? 0 : 0;
}
