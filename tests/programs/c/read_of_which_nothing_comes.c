// expect: bug out-of-bounds
#include <stdlib.h>
#include <string.h>
#include <symex.h>
static int tag(const char *data, size_t n) {
  char *copy = malloc(n);
  memcpy(copy, data, n);
  int tag = copy[0] == 'T' ? copy[copy[1] & 7] : 0;
  free(copy);
  return tag;
}
int main(void) {
  char data[5];
  symex_make_symbolic(data, sizeof data, "data");
  tag(data, sizeof data);
  return 0;
}
