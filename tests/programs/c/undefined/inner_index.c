// expect: bug out-of-bounds
// text: array index out of bounds
// at: 14:10
#include <symex.h>
struct record {
  char name[4];
  char next[4];
};
int main(void) {
  struct record r = {"abc", "def"};
  unsigned i;
  symex_make_symbolic(&i, sizeof i, "i");
  symex_assume(i < 8);
  return r.name[i] == 1;
}
