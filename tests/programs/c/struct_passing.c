// expect: pass-complete
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <symex.h>

/* One of each class of the ABI: in integer registers, in vector registers, in both, in memory. */
struct two { int32_t a; int32_t b; };
struct pair { int64_t a, b; };
struct odd { char c[11]; };
struct floats { float x, y; };
struct three { float x, y, z; };
struct mixed { double d; int n; };
struct large { int64_t v[5]; char tail; };
struct nested { struct two t; struct { uint8_t low; uint16_t high; } u; };
struct precise { long double x; int n; };
struct empty {};
union either { int64_t i; double d; };

static struct two swap(struct two t) { return (struct two){t.b, t.a}; }
static struct pair turn(struct pair p) { return (struct pair){p.b, -p.a}; }
static struct odd rotate(struct odd o) {
  char first = o.c[0];
  memmove(o.c, o.c + 1, 10);
  o.c[10] = first;
  return o;
}
static struct floats add(struct floats a, struct floats b) { return (struct floats){a.x + b.x, a.y + b.y}; }
static struct three scale(struct three t, float f) { return (struct three){t.x * f, t.y * f, t.z * f}; }
static struct mixed next(struct mixed m) { m.d += 1, m.n += 1; return m; }
static struct large filled(int64_t n) {
  struct large l;
  for (int i = 0; i < 5; i++) l.v[i] = n + i;
  l.tail = 't';
  return l;
}
/* The callee has its own. */
static int64_t spoiled(struct large l, int at) {
  int64_t before = l.v[at];
  l.v[at] = -1;
  return before + l.v[at] + 1;
}
static struct nested deeper(struct nested n) { n.u.high += n.t.a; n.u.low++; return n; }
static struct precise half(struct precise p) { p.x /= 2; p.n--; return p; }
static union either flip(union either e) { e.i = -e.i; return e; }
static struct empty nothing(struct empty e, int *n) { ++*n; return e; }
/* More than registers hold. */
static int64_t many(int a, struct pair p, int b, struct pair q, struct large l, struct two t, struct pair r, char c) {
  return a + p.a * 10 + p.b + b + q.a + q.b + l.v[4] + t.a - t.b + r.a + r.b + c;
}

typedef struct large (*maker)(int64_t);
static int64_t through(maker make, int64_t (*take)(struct large, int), int64_t n) { return take(make(n), 2); }

int main(void) {
  int32_t x;
  symex_make_symbolic(&x, sizeof x, "x");
  symex_assume(x > -1000 && x < 1000);
  struct two t = swap((struct two){x, 7});
  assert(t.a == 7 && t.b == x);
  struct pair p = turn((struct pair){x, 2});
  assert(p.a == 2 && p.b == -(int64_t)x);
  struct odd o = {"abcdefghij"};
  o.c[10] = (char)x;
  o = rotate(rotate(o));
  assert(o.c[8] == (char)x && o.c[9] == 'a' && o.c[10] == 'b' && o.c[0] == 'c');
  struct floats f = add((struct floats){1.5f, (float)(x & 7)}, (struct floats){0.5f, 1});
  assert(f.x == 2 && f.y == (float)((x & 7) + 1));
  struct three s = scale((struct three){1, 2, 3}, 2);
  assert(s.x == 2 && s.y == 4 && s.z == 6);
  struct mixed m = next((struct mixed){0.5, x});
  assert(m.d == 1.5 && m.n == x + 1);
  struct large l = filled(x);
  assert(spoiled(l, 3) == x + 3 && l.v[3] == x + 3 && l.tail == 't');
  struct nested n = deeper((struct nested){{3, 4}, {255, 5}});
  assert(n.u.high == 8 && n.u.low == 0 && n.t.b == 4);
  struct precise h = half((struct precise){3, x});
  assert(h.x == 1.5L && h.n == x - 1);
  union either e = {.d = 0};
  e.i = x;
  assert(flip(e).i == -x);
  int count = 0;
  nothing(nothing((struct empty){}, &count), &count);
  assert(count == 2);
  assert(many(1, (struct pair){1, 2}, 3, (struct pair){4, 5}, l, (struct two){9, 8}, (struct pair){10, 11}, 12) ==
         1 + 10 + 2 + 3 + 9 + x + 4 + 1 + 21 + 12);
  assert(through(filled, spoiled, x) == x + 2);
  return 0;
}
