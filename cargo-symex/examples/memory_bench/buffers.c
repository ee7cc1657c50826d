// BUFFERS buffers of SIZE bytes each, filled with data. FORKS inputs decide, one after the other, whether some WRITES bytes
// of them change, so that 2^FORKS states differ in little. What changed is read again at the end.
#include "inputs.h"
static unsigned char data[SIZE];
int main(void) {
  unsigned char *buffers[BUFFERS];
  unsigned x = 2463534242u;
  for (unsigned k = 0; k < SIZE; k++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    data[k] = x >> 24;
  }
  for (unsigned i = 0; i < BUFFERS; i++) {
    buffers[i] = malloc(SIZE);
    memcpy(buffers[i], data, SIZE);
  }
  unsigned sum = 0;
  for (unsigned k = 0; k < FORKS; k++) {
    unsigned which = k % BUFFERS, at = (k * 40503u) % (SIZE - WRITES);
    if (below(2, "choice"))
      for (unsigned w = 0; w < WRITES; w++)
        buffers[which][at + w] ^= k + 1;
    sum += buffers[which][at];
  }
  if (sum == 77)
    reached = 1;
  return 0;
}
