// A matrix of N rows, each an object of its own, looked up LOOKUPS times [SMM, figures 1 and 3].
// EXTRA: bytes of memory that no look-up can reach. POINTERS: the elements are pointers, and what is asked is whether two
// places hold the same. APART: see `inputs.h`.
#include "inputs.h"
#if POINTERS
typedef char *element;
#else
typedef int element;
#endif
int main(void) {
  part();
  element **matrix = malloc(N * sizeof *matrix);
  for (unsigned row = 0; row < N; row++)
    matrix[row] = calloc(N, sizeof **matrix);
#if POINTERS
  for (unsigned k = 0; k < N; k++)
    matrix[k][(k + 1) % N] = malloc(4);
#else
  matrix[0][0] = 120;
#endif
#if EXTRA
  char *extra = calloc(1, EXTRA);
  extra[17] = 1;
#endif
  for (unsigned k = 0; k < LOOKUPS; k++) {
    unsigned i = below(N, "row"), j = below(N, "column");
#if POINTERS
    if (matrix[i][j] == matrix[j][i])
#else
    if (matrix[i][j] > 0)
#endif
      reached = k;
  }
  return 0;
}
