#include <stddef.h>
#include <stdlib.h>
#include <string.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);

// A number below `end`.
static unsigned below(unsigned end, const char *name) {
  unsigned i;
  symex_make_symbolic(&i, sizeof i, name);
  symex_assume(i < end);
  return i;
}

// What a path does that differs from other paths.
static volatile int reached;
