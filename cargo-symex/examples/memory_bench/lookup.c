// One table of SIZE bytes at LOOKUPS indices that are inputs. WRITES: indices written to before.
// ELEMENT: bytes of an element. WITHIN: indices lie among this number of elements in the middle of the table; 0: anywhere.
// KNOWN: the table's contents are constants; otherwise a sixteenth of it is inputs.
#include "inputs.h"
#if ELEMENT == 8
typedef unsigned long element;
#elif ELEMENT == 4
typedef unsigned element;
#else
typedef unsigned char element;
#endif
#define COUNT (SIZE / sizeof(element))
static element table[COUNT];
static unsigned place(const char *name) {
  unsigned i = below(COUNT, name);
#if WITHIN
  symex_assume(i - (COUNT / 2 + 37) < WITHIN);
#endif
  return i;
}
int main(void) {
  unsigned x = 2463534242u;
  for (unsigned i = 0; i < COUNT; i++) {
    x ^= x << 13, x ^= x >> 17, x ^= x << 5;
    table[i] = x >> 24;
  }
#if !KNOWN
  symex_make_symbolic(table + COUNT / 2, SIZE / 16, "contents");
#endif
  for (unsigned k = 0; k < WRITES; k++)
    table[place("to")] = k;
  unsigned sum = 0;
  for (unsigned k = 0; k < LOOKUPS; k++)
    sum = sum * 5 + table[place("from")];
  if (sum % 256 == 77)
    reached = 1;
  return 0;
}
