// Insertion sort: a path for each order of the elements.
#include <assert.h>
#include <symex.h>
#define N 9
int main(void) {
  unsigned char v[N];
  symex_make_symbolic(v, sizeof v, "v");
  for (int i = 1; i < N; i++)
    for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
      unsigned char t = v[j];
      v[j] = v[j - 1];
      v[j - 1] = t;
    }
  for (int i = 1; i < N; i++)
    assert(v[i - 1] <= v[i]);
  return 0;
}
