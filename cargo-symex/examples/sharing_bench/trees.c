// A tree of search built from keys, and looked at: pointers and the heap.
#include <assert.h>
#include <stdlib.h>
#include <symex.h>
#define N 8
struct node {
  unsigned char key;
  struct node *left, *right;
};
static struct node *insert(struct node *tree, unsigned char key) {
  if (!tree) {
    tree = calloc(1, sizeof *tree);
    if (!tree)
      exit(1);
    tree->key = key;
  } else if (key < tree->key)
    tree->left = insert(tree->left, key);
  else if (key > tree->key)
    tree->right = insert(tree->right, key);
  return tree;
}
static int count(const struct node *tree) {
  return tree ? 1 + count(tree->left) + count(tree->right) : 0;
}
int main(void) {
  unsigned char keys[N];
  symex_make_symbolic(keys, sizeof keys, "keys");
  struct node *tree = 0;
  for (int i = 0; i < N; i++)
    tree = insert(tree, keys[i]);
  assert(count(tree) <= N);
  return 0;
}
