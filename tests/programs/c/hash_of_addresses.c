// expect: pass-complete
// A table that seeds its hash with addresses: where an entry lies depends on them, what is found does not.
#include <symex.h>
#include <stdint.h>
#include <stdlib.h>
struct entry { int key, value; struct entry *next; };
struct table { unsigned seed; struct entry *buckets[16]; };
static unsigned hash(const struct table *t, int key) {
  unsigned h = t->seed;
  for (int i = 0; i < 4; i++) h = h * 33 + (unsigned char)(key >> 8 * i);
  return h % 16;
}
int main(void) {
  int here;
  struct table *t = calloc(1, sizeof *t);
  if (!t) return 0;
  t->seed = (unsigned)((uintptr_t)&here >> 4 ^ (uintptr_t)t ^ (uintptr_t)t >> 32);
  for (int key = 0; key < 5; key++) {
    struct entry *e = malloc(sizeof *e);
    if (!e) return 0;
    struct entry **bucket = &t->buckets[hash(t, key)];
    *e = (struct entry){key, 100 + key, *bucket};
    *bucket = e;
  }
  int key;
  symex_make_symbolic(&key, sizeof key, "key");
  struct entry *e = t->buckets[hash(t, key)];
  while (e && e->key != key) e = e->next;
  if ((e != 0) != (key >= 0 && key < 5)) abort();
  if (e && e->value != 100 + key) abort();
  return 0;
}
