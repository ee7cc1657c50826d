// expect: pass-complete
#include <stdint.h>
#include <symex.h>
#include <assert.h>
#include <string.h>
struct bits { unsigned a : 3, b : 7, c : 22; };
union view { uint32_t word; uint8_t bytes[4]; };
int main(void) {
  uint32_t w;
  symex_make_symbolic(&w, sizeof w, "w");
  union view v = {.word = w};
  assert(v.bytes[0] == (w & 0xff) && v.bytes[3] == w >> 24);
  struct bits s;
  memset(&s, 0, sizeof s);
  s.a = w; s.b = w >> 3; s.c = w >> 10;
  uint32_t back;
  memcpy(&back, &s, 4);
  assert(back == w);
  return 0;
}
