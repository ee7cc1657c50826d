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

// APART decisions on inputs, so that 2^APART paths follow, each with another number of objects before those that come
// [AAQC, figure 1].
static void part(void) {
#if APART
  for (unsigned k = 0; k < APART; k++)
    if (below(2, "apart"))
      for (unsigned objects = 0; objects < 1u << k; objects++)
        *(volatile char *)malloc(24) = 1;
#endif
}
