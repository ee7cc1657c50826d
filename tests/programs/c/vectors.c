// expect: pass-complete
#include <assert.h>
#include <string.h>
#include <symex.h>
typedef int int4 __attribute__((vector_size(16)));
typedef float float4 __attribute__((vector_size(16)));
typedef unsigned char byte8 __attribute__((vector_size(8)));
static int4 add(int4 a, int4 b) { return a + b; }
static float4 scaled(float4 v, float f) { return v * f; }
int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  symex_assume(x > -1000 && x < 1000);
  int4 v = {1, 2, 3, x}, w = add(v, (int4){10, 20, 30, 40});
  assert(w[0] == 11 && w[3] == x + 40);
  int4 more = v > 2;
  assert(more[0] == 0 && more[2] == -1 && more[3] == (x > 2 ? -1 : 0));
  int4 shuffled = __builtin_shufflevector(v, w, 3, 0, 4, 7);
  assert(shuffled[0] == x && shuffled[2] == 11 && shuffled[3] == x + 40);
  float4 f = scaled((float4){1, 2, 3, 4}, 0.5f);
  assert(f[0] == 0.5f && f[3] == 2);
  byte8 b;
  memcpy(&b, "abcdefgh", 8);
  b ^= 0x20;
  assert(b[0] == 'A' && b[x & 7] == "ABCDEFGH"[x & 7]);
  v[x & 3] = 9;
  assert(v[x & 3] == 9);
  int4 converted = __builtin_convertvector(f, int4);
  assert(converted[3] == 2 && converted[1] == 1);
  return 0;
}
