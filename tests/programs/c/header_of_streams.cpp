// expect: pass-complete
#include <iostream>
#include <symex.h>
int main() {
  int n = symex_range(0, 100, "n");
  if (n == 12) return 1;
  return 0;
}
