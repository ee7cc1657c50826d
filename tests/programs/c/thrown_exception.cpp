// expect: inconclusive
#include <stdexcept>
#include <symex.h>
static int checked(int n) { if (n == 33) throw std::runtime_error("33"); return n; }
int main() {
  int n = symex_range(0, 100, "n");
  try { checked(n); } catch (const std::exception &) { return 0; }
  return 0;
}
