// expect: bug abort
#include <symex.h>
#include <stdlib.h>
int main(void) {
  static void *labels[] = {&&inc, &&dec, &&end};
  unsigned char code[4];
  symex_make_symbolic(code, sizeof code, "code");
  int pc = 0, acc = 0;
  goto *labels[code[pc++] % 3];
inc: acc++; if (pc == 4) goto end; goto *labels[code[pc++] % 3];
dec: acc--; if (pc == 4) goto end; goto *labels[code[pc++] % 3];
end: if (acc == 3) abort();
  return 0;
}
