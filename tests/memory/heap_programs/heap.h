// What the random heap programs share. With NATIVE every access is checked by a table of all allocations, so that a run
// says by itself which access is the first bad one; without it the macros are the bare accesses.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct node {
  uint8_t key, val, arr[4];
  union {
    uint32_t word;
    uint8_t byte[4];
  } u;
  union {
    struct node *node;
    uint8_t *bytes;
  } v;
  struct node *next, *other;
  struct node **link;
};

#ifdef NATIVE
#include <setjmp.h>
#include <stdio.h>

static jmp_buf out;
static const char *bad_kind;
static int bad_line;
static _Alignas(16) uint8_t arena[1 << 16];
static size_t used;
static struct { size_t base, size; int freed; } blocks[256];
static int n_blocks;
// An access that runs over the end of a block by at most this is that block's.
#define PAD 256

static void bad(const char *kind, int line) {
  bad_kind = kind;
  bad_line = line;
  longjmp(out, 1);
}
static void *get(size_t size) {
  void *p = arena + used;
  memset(p, 0, size + PAD);
  blocks[n_blocks].base = used;
  blocks[n_blocks].size = size;
  blocks[n_blocks].freed = 0;
  n_blocks++;
  used += (size + PAD + 15) / 16 * 16;
  if (used + 1024 > sizeof arena || n_blocks == 256) abort();
  return p;
}
static int block_of(const void *p) {
  size_t at = (size_t)p - (size_t)arena;
  if (at >= used) return -1;
  int i = n_blocks - 1;
  while (blocks[i].base > at) i--;
  return i;
}
static void check(const void *p, size_t size, int line) {
  if ((size_t)p < 4096) bad("null-access", line);
  int i = block_of(p);
  if (i < 0) return;
  size_t at = (size_t)p - (size_t)arena - blocks[i].base;
  if (blocks[i].freed) bad("use-after-free", line);
  if (at + size > blocks[i].size) bad("out-of-bounds", line);
}
static void release(const void *p, int line) {
  if (p == NULL) return;
  int i = block_of(p);
  if (i < 0) abort();
  if (blocks[i].freed) bad("double-free", line);
  if ((size_t)p != (size_t)arena + blocks[i].base) bad("invalid-free", line);
  blocks[i].freed = 1;
}
static size_t bound(size_t i, size_t n, int line) {
  if (i >= n) bad("out-of-bounds", line);
  return i;
}
#define AT(p) (*(check((p), sizeof *(p), __LINE__), (p)))
#define EL(array, i, n) ((array)[bound((i), (n), __LINE__)])
#define FREE(p) release((p), __LINE__)
#define COPY(to, from)                        \
  do {                                        \
    check((from), sizeof *(from), __LINE__);  \
    check((to), sizeof *(to), __LINE__);      \
    memmove((to), (from), sizeof *(to));      \
  } while (0)
#define MOVE(to, from, n)                     \
  do {                                        \
    size_t length_ = (n);                     \
    if (length_) {                            \
      check((from), length_, __LINE__);       \
      check((to), length_, __LINE__);         \
      memmove((to), (from), length_);         \
    }                                         \
  } while (0)
#define FILL(to, c, n)                        \
  do {                                        \
    size_t length_ = (n);                     \
    if (length_) {                            \
      check((to), length_, __LINE__);         \
      memset((to), (c), length_);             \
    }                                         \
  } while (0)
#else
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
static void *get(size_t size) { return calloc(1, size); }
#define AT(p) (*(p))
#define EL(array, i, n) ((array)[i])
#define FREE(p) free(p)
#define COPY(to, from) (*(to) = *(from))
#define MOVE(to, from, n) memmove((to), (from), (n))
#define FILL(to, c, n) memset((to), (c), (n))
#endif

static struct node *new_node(uint8_t key, uint8_t val) {
  struct node *n = get(sizeof *n);
  n->key = key;
  n->val = val;
  return n;
}

// Chains and trees may have become anything; every walk is bounded.
static struct node *find(struct node *n, uint8_t key) {
  for (int i = 0; i < 4 && n; i++) {
    if (AT(n).key == key)
      return n;
    n = AT(n).next;
  }
  return NULL;
}

static struct node **end_of(struct node **link) {
  for (int i = 0; i < 3; i++) {
    struct node *n = AT(link);
    if (!n)
      return link;
    link = &n->next;
  }
  return link;
}

static struct node **leaf(struct node **link, uint8_t key) {
  for (int i = 0; i < 4; i++) {
    struct node *n = AT(link);
    if (!n)
      return link;
    uint8_t k = AT(n).key;
    if (k == key)
      return link;
    link = key < k ? &n->next : &n->other;
  }
  return link;
}

static uint8_t sum(struct node *n, int depth) {
  if (!n || depth == 0)
    return 0;
  uint8_t s = AT(n).val;
  struct node *left = AT(n).next;
  s ^= (uint8_t)(sum(left, depth - 1) << 1);
  struct node *right = AT(n).other;
  s += sum(right, depth - 1);
  return s;
}
