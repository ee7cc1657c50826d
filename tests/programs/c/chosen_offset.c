// expect: bug out-of-bounds
// A pointer that is chosen by one input and moved by another still knows its object.
#include <symex.h>
#include <stdlib.h>
int main(void) {
  char *a = calloc(4, 1), *b = calloc(64, 1);
  unsigned i, k;
  symex_make_symbolic(&i, sizeof i, "i");
  symex_make_symbolic(&k, sizeof k, "k");
  symex_assume(i <= 4 && k < 2);
  char *slots[2] = {b, b};
  slots[k] = a + i;
  int read = *slots[0];
  free(a);
  free(b);
  return read;
}
