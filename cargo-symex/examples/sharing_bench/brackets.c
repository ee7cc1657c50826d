// Depths of brackets: short paths, and very many of them.
#include <assert.h>
#include <symex.h>
int main(void) {
  unsigned char text[11];
  symex_make_symbolic(text, sizeof text, "text");
  int depth = 0;
  for (unsigned i = 0; i < sizeof text; i++) {
    if (text[i] == '(')
      depth += 1;
    else if (text[i] == ')')
      depth -= 1;
    else if (text[i] == '[')
      depth += 2;
    if (depth < -1)
      return 1;
  }
  assert(depth < 23);
  return 0;
}
