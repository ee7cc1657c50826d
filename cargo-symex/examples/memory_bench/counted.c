// A chained hash table of BUCKETS buckets, COUNTED: each with the number of its nodes. INSERTS keys that are inputs are put into
// it, then LOOKUPS keys that are inputs are sought.
#include "inputs.h"
struct node {
  unsigned char key;
  struct node *next;
};
static struct {
#if COUNTED
  unsigned count;
#endif
  struct node *first;
} buckets[BUCKETS];

static struct node *lookup(unsigned char key) {
  for (struct node *n = buckets[key % BUCKETS].first; n; n = n->next)
    if (n->key == key)
      return n;
  return NULL;
}
static void insert(unsigned char key) {
  if (lookup(key))
    return;
  struct node *n = malloc(sizeof *n);
  n->key = key;
#if COUNTED
  buckets[key % BUCKETS].count++;
#endif
  n->next = buckets[key % BUCKETS].first;
  buckets[key % BUCKETS].first = n;
}
int main(void) {
  for (unsigned k = 0; k < 8; k++)
    insert(k * 7);
  for (unsigned k = 0; k < INSERTS; k++)
    insert(below(256, "new key"));
  for (unsigned k = 0; k < LOOKUPS; k++)
    if (lookup(below(256, "key")))
      reached = k;
  return 0;
}
