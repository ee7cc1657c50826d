// expect: pass-complete
#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <symex.h>

struct small { int a, b; };
struct pair { int64_t a; double d; };
struct points { float x, y; };
struct large { int64_t v[4]; char c; };
struct precise { long double x; };

/* Each letter is a class. */
static int64_t all(const char *what, va_list list) {
  int64_t sum = 0;
  for (; *what; what++) {
    switch (*what) {
    case 'i': sum += va_arg(list, int); break;
    case 'l': sum += va_arg(list, int64_t); break;
    case 'd': sum += (int64_t)(va_arg(list, double) * 4); break;
    case 'D': sum += (int64_t)(va_arg(list, long double) * 4); break;
    case 'p': sum += *va_arg(list, int *); break;
    case 's': { struct small s = va_arg(list, struct small); sum += s.a * 2 + s.b; break; }
    case 'm': { struct pair s = va_arg(list, struct pair); sum += s.a + (int64_t)s.d; break; }
    case 'f': { struct points s = va_arg(list, struct points); sum += (int64_t)(s.x + s.y); break; }
    case 'L': { struct large s = va_arg(list, struct large); sum += s.v[0] + s.v[3] + s.c; break; }
    case 'P': { struct precise s = va_arg(list, struct precise); sum += (int64_t)s.x; break; }
    case 'w': sum += (int64_t)(va_arg(list, __int128) >> 64); break;
    }
  }
  return sum;
}

static int64_t sum(const char *what, ...) {
  va_list list;
  va_start(list, what);
  int64_t first = all(what, list);
  va_end(list);
  va_start(list, what);
  va_list copy;
  va_copy(copy, list);
  int64_t second = all(what, copy), third = all(what, list);
  va_end(copy);
  va_end(list);
  assert(first == second && second == third);
  return first;
}

/* The list is used up by whoever it is handed to. */
static int take(va_list *list) { return va_arg(*list, int); }
static int pairs(int n, ...) {
  va_list list;
  int total = 0;
  va_start(list, n);
  while (n--) total = total * 10 + take(&list);
  va_end(list);
  return total;
}

static void text(char *to, size_t size, const char *format, ...) {
  va_list list;
  va_start(list, format);
  vsnprintf(to, size, format, list);
  va_end(list);
}

int main(void) {
  int x;
  symex_make_symbolic(&x, sizeof x, "x");
  symex_assume(x > -100 && x < 100);
  struct large l = {{1, 2, 3, 4}, 5};
  struct pair m = {20, 2.5};
  assert(sum("") == 0);
  assert(sum("iliil", 1, INT64_C(2), x, -4, INT64_C(5)) == 4 + x);
  assert(sum("didDid", 0.25, 1, 0.5, 1.0L, x, 2.0) == 1 + 1 + 2 + 4 + x + 8);
  assert(sum("iLisLmD", 1, l, x, (struct small){3, 4}, l, m, 0.5L) == 1 + 10 + x + 10 + 10 + 22 + 2);
  assert(sum("ffifPPi", (struct points){1, 2}, (struct points){3, 4}, 5, (struct points){6, 7}, (struct precise){8},
             (struct precise){9}, x) == 45 + x);
  assert(sum("iwpwi", 1, (__int128)2 << 64, &x, -((__int128)3 << 64), 4) == 4 + x);
  /* More than there are registers. */
  assert(sum("iiiiiiiidddddddddd", 1, 2, 3, 4, 5, 6, 7, 8, .25, .25, .25, .25, .25, .25, .25, .25, .25, .25) == 46);
  assert(pairs(3, 1, 2, 3) == 123);
  char s[40];
  text(s, sizeof s, "%d %s %c %.1f %ld %Lg", -7, "seven", '7', 7.0, 7L, 7.5L);
  assert(!strcmp(s, "-7 seven 7 7.0 7 7.5"));
  return 0;
}
