// expect: bug undefined
#include <stdio.h>
#include <symex.h>
int main(void) {
  const char *format = symex_range(0, 2, "k") ? "%d %d\n" : "%d\n";
  printf(format, 1);
  return 0;
}
