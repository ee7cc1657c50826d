// A matrix of N rows, each an object of its own, looked up LOOKUPS times [SMM, figures 1 and 3].
// EXTRA: bytes of memory that no look-up can reach.
#include "inputs.h"
int main(void) {
  int **matrix = malloc(N * sizeof *matrix);
  for (unsigned row = 0; row < N; row++)
    matrix[row] = calloc(N, sizeof **matrix);
  matrix[0][0] = 120;
#if EXTRA
  char *extra = calloc(1, EXTRA);
  extra[17] = 1;
#endif
  for (unsigned k = 0; k < LOOKUPS; k++) {
    unsigned i = below(N, "row"), j = below(N, "column");
    if (matrix[i][j] > 0)
      reached = k;
  }
  return 0;
}
