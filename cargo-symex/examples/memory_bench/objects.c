// OBJECTS objects of SIZE bytes each; a pointer to one of them by an index that is an input; ACCESSES times.
// WRITE: 0 reads, 1 writes, 2 writes and reads back through another index.
// KNOWN: the contents are constants. INSIDE: the offset inside is an input, too.
// AGAIN: all accesses are through one pointer. BRANCH: each read decides a branch.
#include "inputs.h"
int main(void) {
  unsigned char **objects = malloc(OBJECTS * sizeof *objects);
  unsigned x = 2463534242u;
  for (unsigned i = 0; i < OBJECTS; i++) {
    objects[i] = malloc(SIZE);
#if KNOWN
    for (unsigned k = 0; k < SIZE; k++) {
      x ^= x << 13, x ^= x >> 17, x ^= x << 5;
      objects[i][k] = x >> 24;
    }
#else
    symex_make_symbolic(objects[i], SIZE, "contents");
#endif
  }
  unsigned char sum = 0;
  unsigned i = below(OBJECTS, "object");
  for (unsigned k = 0; k < ACCESSES; k++) {
    unsigned at = INSIDE ? below(SIZE, "offset") : k % SIZE;
#if WRITE
    objects[i][at] = k + 1;
#endif
#if WRITE == 2
    unsigned j = below(OBJECTS, "other");
#else
    unsigned j = i;
#endif
#if WRITE != 1
    unsigned char read = objects[j][at];
#if BRANCH
    if (read < 128)
      sum++;
#else
    sum = sum * 3 + read;
#endif
#endif
    if (!AGAIN)
      i = below(OBJECTS, "object");
  }
#if WRITE == 1
  for (unsigned k = 0; k < OBJECTS; k++)
    sum += objects[k][0];
#endif
  if (sum == 77)
    reached = 1;
  return 0;
}
