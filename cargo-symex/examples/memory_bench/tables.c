// TABLES chained hash tables of BUCKETS buckets and KEYS keys; LOOKUPS keys that are inputs are sought in the first
// [RAM, figure 1].
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
static struct node *lookup(struct table *table, unsigned key) {
  for (struct node *n = table->buckets[hash(key)]; n; n = n->next)
    if (n->key == key)
      return n;
  return NULL;
}
static void insert(struct table *table, unsigned key, unsigned long data) {
  if (lookup(table, key))
    return;
  struct node *n = calloc(1, sizeof *n);
  n->data = data;
  n->key = key;
  n->next = table->buckets[hash(key)];
  table->buckets[hash(key)] = n;
}
int main(void) {
  static struct table tables[TABLES];
  for (unsigned i = 0; i < TABLES; i++) {
    tables[i].buckets = calloc(BUCKETS, sizeof *tables[i].buckets);
    for (unsigned k = 0; k < KEYS; k++)
      insert(&tables[i], k * 77 + 3, 7);
  }
  for (unsigned k = 0; k < LOOKUPS; k++) {
    unsigned key;
    symex_make_symbolic(&key, sizeof key, "key");
    if (lookup(&tables[0], key))
      reached = k;
  }
  return 0;
}
