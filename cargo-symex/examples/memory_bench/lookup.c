// One table of SIZE bytes at LOOKUPS indices that are inputs. WRITES: indices written to before.
// KNOWN: the table's contents are constants; otherwise a sixteenth of it is inputs.
#include "inputs.h"
static unsigned char table[SIZE];
int main(void) {
  unsigned x = 2463534242u;
  for (unsigned i = 0; i < SIZE; i++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    table[i] = x >> 24;
  }
#if !KNOWN
  symex_make_symbolic(table + SIZE / 2, SIZE / 16, "contents");
#endif
  for (unsigned k = 0; k < WRITES; k++)
    table[below(SIZE, "to")] = k;
  unsigned sum = 0;
  for (unsigned k = 0; k < LOOKUPS; k++)
    sum = sum * 5 + table[below(SIZE, "from")];
  if (sum % 256 == 77)
    reached = 1;
  return 0;
}
