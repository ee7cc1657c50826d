// expect: inconclusive
#include <symex.h>
extern int somebody_elses_function(int);
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  if (x == 3) return somebody_elses_function(x);
  return 0;
}
