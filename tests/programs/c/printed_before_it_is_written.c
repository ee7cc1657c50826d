// expect: bug uninit-use
#include <stdio.h>
#include <symex.h>
int main(void) {
  int k = symex_range(0, 3, "k"), shown;
  if (k)
    shown = k;
  printf("%d\n", shown);
  return 0;
}
