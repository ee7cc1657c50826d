// expect: pass-bounded
// Random bytes of the system are the same on each path, but others each time.
#include <assert.h>
#include <string.h>
#include <sys/random.h>
int main(void) {
  unsigned char drawn[40][16];
  for (int i = 0; i < 40; i++) assert(getrandom(drawn[i], 16, 0) == 16);
  for (int i = 0; i < 40; i++)
    for (int j = 0; j < i; j++) assert(memcmp(drawn[i], drawn[j], 16) != 0);
}
