// Small objects only, written at known offsets all the time, with a fork now and then: FORKS of them, and ROUNDS rounds over
// all objects between two.
#include "inputs.h"
int main(void) {
  struct { unsigned a, b, c, d; } records[16] = {{0}};
  unsigned sum = 0;
  for (unsigned k = 0; k < FORKS; k++) {
    if (below(2, "choice"))
      records[k % 16].b++;
    for (unsigned r = 0; r < ROUNDS; r++) {
      records[r % 16].a += r;
      records[r % 16].c ^= records[(r + 1) % 16].a;
    }
  }
  for (unsigned i = 0; i < 16; i++)
    sum += records[i].a + records[i].b + records[i].c;
  if (sum == 77)
    reached = 1;
  return 0;
}
