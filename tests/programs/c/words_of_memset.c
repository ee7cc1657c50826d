// expect: pass-complete
#include <stdint.h>
#include <symex.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  size_t n, k, i;
  symex_make_symbolic(&n, sizeof n, "n");
  symex_make_symbolic(&k, sizeof k, "k");
  symex_make_symbolic(&i, sizeof i, "i");
  symex_assume((n >= 1) & (n <= 40) & (k <= n * 8) & (i < n));
  uint64_t *p = calloc(n, 8);
  memset(p, 0xff, k);
  if (i * 8 + 8 <= k && p[i] != ~0ull) abort();
  if (i * 8 >= k && p[i] != 0) abort();
  free(p);
  return 0;
}
