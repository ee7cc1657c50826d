// expect: pass-complete
#include <symex.h>
#include <assert.h>
#include <stdlib.h>
struct node { int key; struct node *next; };
int main(void) {
  struct node *head = 0;
  for (int i = 0; i < 5; i++) {
    struct node *n = malloc(sizeof *n);
    n->key = i * 3; n->next = head; head = n;
  }
  int k, seen = 0;
  symex_make_symbolic(&k, sizeof k, "k");
  for (struct node *n = head; n; n = n->next) if (n->key == k) seen++;
  assert(seen == (k >= 0 && k <= 12 && k % 3 == 0));
  while (head) { struct node *n = head->next; free(head); head = n; }
  return 0;
}
