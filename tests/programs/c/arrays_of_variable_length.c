// expect: pass-complete
#include <alloca.h>
#include <assert.h>
#include <string.h>
#include <symex.h>
static int sum(int rows, int columns, int m[rows][columns]) {
  int s = 0;
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) s += m[i][j];
  return s;
}
static char *joined(const char *a, const char *b, char *to) {
  char *p = alloca(strlen(a) + strlen(b) + 1);
  strcpy(p, a), strcat(p, b);
  return strcpy(to, p);
}
int main(void) {
  int n = symex_range(1, 5, "n");
  int array[n];
  for (int i = 0; i < n; i++) array[i] = i;
  assert(sizeof array == n * sizeof(int) && array[n - 1] == n - 1);
  int matrix[n][n + 1];
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= n; j++) matrix[i][j] = i * j;
  assert(sizeof matrix == sizeof(int) * n * (n + 1));
  assert(sum(n, n + 1, matrix) == n * (n - 1) / 2 * (n * (n + 1) / 2));
  for (int round = 1; round < 4; round++) {
    char line[round];
    memset(line, 'a' + round, round);
    assert(line[round - 1] == 'a' + round);
  }
  char text[16];
  assert(!strcmp(joined("left", "right", text), "leftright"));
  struct list { int n; int items[]; } *list = alloca(sizeof *list + n * sizeof(int));
  list->n = n;
  for (int i = 0; i < n; i++) list->items[i] = array[i];
  assert(list->items[list->n - 1] == n - 1);
  return 0;
}
