// STORES stores of words to SIZE of them at places that are inputs, with reads between and after them. INPUTS: the words are
// inputs before; otherwise zero. FOLLOW: each word read is the place of the next read; otherwise each is made into the next
// one that is stored.
#include "inputs.h"
static unsigned short words[SIZE];
int main(void) {
#if INPUTS
  symex_make_symbolic(words, sizeof words, "words");
#endif
  unsigned first = 0;
  for (unsigned k = 0; k < STORES; k++) {
    unsigned short at = below(SIZE, "at"), value;
    symex_make_symbolic(&value, sizeof value, "value");
    if (!k)
      first = at;
#if FOLLOW
    words[at] = value % SIZE;
#else
    words[(at + 1) % SIZE] = words[at] * 3 + value;
#endif
  }
#if FOLLOW
  unsigned seen = first;
  for (unsigned k = 0; k < STORES; k++)
    seen = words[seen] % SIZE;
  if (seen == 11)
    reached = 1;
#else
  if (words[first] == 7 && words[(first + 5) % SIZE] == 0x1234)
    reached = 1;
#endif
  return 0;
}
