// expect: bug out-of-bounds
#include <symex.h>
int main(void) {
  int n = symex_range(1, 9, "n"), i = symex_range(0, 9, "i");
  char array[n];
  for (int k = 0; k < n; k++) array[k] = 0;
  return array[i];
}
