// expect: bug invalid-free
#include <symex.h>
#include <stdlib.h>
int main(void) {
  unsigned char i;
  symex_make_symbolic(&i, sizeof i, "i");
  char *p = malloc(4);
  if (!p) return 0;
  free(p + (i == 9));
  return 0;
}
