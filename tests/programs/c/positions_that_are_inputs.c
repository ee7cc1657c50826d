// expect: bug abort
// A name whose labels lead on to others, as in messages of the domain name system, goes round in a
// circle. Each position is looked up at the position before.
#include <assert.h>
#include <symex.h>
int main(void) {
  unsigned char message[5];
  symex_make_symbolic(message, sizeof message, "message");
  unsigned at = 0, labels = 0;
  while (at + 1 < sizeof message && message[at] != 0) {
    assert(labels < 60);
    if (message[at] < 64) {
      at += 1 + message[at];
      labels++;
      continue;
    }
    if (message[at] < 192) return 1;
    unsigned target = (message[at] & 63) << 8 | message[at + 1];
    if (target >= at) return 2;
    at = target;
  }
  return 0;
}
