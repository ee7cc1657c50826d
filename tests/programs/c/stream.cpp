// expect: inconclusive
#include <iostream>
#include <symex.h>
int main() {
  int n = symex_range(0, 100, "n");
  if (n == 12) std::cout << "twelve\n";
  return 0;
}
