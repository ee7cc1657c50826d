// expect: bug abort
#include <assert.h>
#include <stddef.h>
int klee_int(const char *name);
void klee_make_symbolic(void *at, size_t size, const char *name);
int main(void) {
  unsigned char byte;
  klee_make_symbolic(&byte, 1, NULL);
  assert(klee_int(NULL) != 7 || byte != 3);
  return 0;
}
