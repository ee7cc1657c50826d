// TABLES chained hash tables of BUCKETS buckets and KEYS keys. INSERTS keys that are inputs are put into the first, then LOOKUPS
// keys that are inputs are sought in it [RAM, figure 1]. WAYS: decisions on other inputs before, so that 2^WAYS paths do all that
// on tables with the same contents. WRAPPERS: calls between the allocator and the code of the tables, so
// that as many calls more are needed to tell by them what was allocated for what; two more tell nodes from buckets, and the
// first table from others. PAIRS: pairs of keys of which it is asked whether the first nodes of their buckets are the
// same. APART: see `inputs.h`.
#include "inputs.h"
struct node {
  unsigned long data;
  unsigned key;
  struct node *next;
};
struct table {
  struct node **buckets;
};

static unsigned hash(unsigned key) {
  unsigned h = 5381;
  for (unsigned i = 0; i < sizeof key; i++)
    h = h * 33 + (unsigned char)(key >> 8 * i);
  return h % BUCKETS;
}
static __attribute__((noinline)) void *zeroed(size_t count, size_t size, unsigned wrappers) {
  if (wrappers == 0)
    return calloc(count, size);
  void *memory = zeroed(count, size, wrappers - 1);
  reached = 0; // Else the call would become a loop.
  return memory;
}
static struct node *lookup(struct table *table, unsigned key) {
  for (struct node *n = table->buckets[hash(key)]; n; n = n->next)
    if (n->key == key)
      return n;
  return NULL;
}
static __attribute__((noinline)) void insert(struct table *table, unsigned key, unsigned long data) {
  if (lookup(table, key))
    return;
  struct node *n = zeroed(1, sizeof *n, WRAPPERS);
  n->data = data;
  n->key = key;
  n->next = table->buckets[hash(key)];
  table->buckets[hash(key)] = n;
}
int main(void) {
  static struct table tables[TABLES];
  part();
  for (unsigned i = 0; i < TABLES; i++)
    tables[i].buckets = zeroed(BUCKETS, sizeof *tables[i].buckets, WRAPPERS);
  for (unsigned k = 0; k < KEYS; k++)
    insert(&tables[0], k * 77 + 3, 7);
  for (unsigned i = 1; i < TABLES; i++)
    for (unsigned k = 0; k < KEYS; k++)
      insert(&tables[i], k * 77 + 3, 7);
  for (unsigned k = 0; k < WAYS; k++)
    if (below(2, "way"))
      reached = k;
  for (unsigned k = 0; k < INSERTS; k++) {
    unsigned key;
    symex_make_symbolic(&key, sizeof key, "new key");
    insert(&tables[0], key, 8);
  }
  for (unsigned k = 0; k < LOOKUPS; k++) {
    unsigned key;
    symex_make_symbolic(&key, sizeof key, "key");
    if (lookup(&tables[0], key))
      reached = k;
  }
#if PAIRS
  for (unsigned k = 0; k < PAIRS; k++) {
    unsigned a, b;
    symex_make_symbolic(&a, sizeof a, "a");
    symex_make_symbolic(&b, sizeof b, "b");
    if (tables[0].buckets[hash(a)] == tables[0].buckets[hash(b)])
      reached = k;
  }
#endif
  return 0;
}
