// expect: bug read-only-write
#include <symex.h>
const char text[4] = "abc";
int main(void) {
  unsigned i;
  symex_make_symbolic(&i, sizeof i, "i");
  char *volatile p = (char *)text;
  if (i < 3) p[i] = 'x';
  return 0;
}
