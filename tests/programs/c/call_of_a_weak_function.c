// expect: bug invalid-call
#include <symex.h>
extern int absent(int) __attribute__((weak));
int main(void) {
  int n = symex_range(0, 100, "n");
  if (n == 57) return absent(n);
  return 0;
}
