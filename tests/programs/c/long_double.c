// expect: pass-complete paths 1
#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <float.h>

struct mixed {
  char tag;
  long double x;
  int n;
};

static long double table[] = {1.0L, -0.5L, 0.1L, LDBL_MAX, LDBL_MIN, LDBL_TRUE_MIN};

static long double sum(int n, ...) {
  va_list l;
  va_start(l, n);
  long double s = 0;
  for (int i = 0; i < n; i++) {
    s += va_arg(l, int);
    s += va_arg(l, long double);
  }
  va_end(l);
  return s;
}

static struct mixed moved(struct mixed m) {
  m.x = -m.x;
  return m;
}

static void text(char *to, size_t size, const char *format, ...) {
  va_list l;
  va_start(l, format);
  vsnprintf(to, size, format, l);
  va_end(l);
}

int main(void) {
  long double one = table[0], tenth = table[2];
  assert(sizeof(long double) == 16 && _Alignof(long double) == 16);
  assert(one + 1e-19L != one && (double)(one + 1e-19L) == 1.0);
  assert(one + 1e-20L == one);
  assert(tenth * 10 != 1 + LDBL_EPSILON && fabsl(tenth * 10 - 1) <= LDBL_EPSILON);
  assert((double)tenth == 0.1 && tenth != 0.1);
  assert((float)tenth == 0.1f);
  assert(table[3] * 2 == HUGE_VALL && -table[3] * 2 < table[3]);
  assert(table[4] / 2 > 0 && table[5] / 2 == 0);
  long double nan = 0.0L / (one - one);
  assert(nan != nan && !(nan < one) && isnan(nan) && !isinf(nan));
  assert(isnormal(table[4]) && !isnormal(table[5]) && isfinite(table[3]));
  assert(fpclassify(table[5]) == FP_SUBNORMAL && signbit(table[1]));

  unsigned long u = 0xffffffffffffffffUL;
  assert((unsigned long)(long double)u == u && (long double)u + 1 == 0x1p64L);
  long i = -9223372036854775807L;
  assert((long)(long double)i == i);
  __int128 wide = (__int128)1 << 100;
  assert((long double)wide == 0x1p100L && (__int128)0x1p100L == wide);

  struct mixed a, b;
  a.tag = 'a', a.x = tenth, a.n = 3;
  b = moved(a);
  assert(b.x == -tenth && b.tag == 'a' && b.n == 3);
  memcpy(&a, &b, sizeof a);
  assert(a.x + tenth == 0);

  assert(sum(2, 1, 0.5L, 2, 0.25L) == 3.75L);
  assert(sqrtl(2) * sqrtl(2) - 2 < 1e-18L && sqrtl(0.25L) == 0.5L);
  assert(floorl(-0.5L) == -1 && ceill(0.5L) == 1 && roundl(2.5L) == 3 && rintl(2.5L) == 2);
  assert(fmodl(7.5L, 2) == 1.5L && fmaxl(1, nan) == 1 && copysignl(1, -0.0L) == -1);
  assert(powl(2, 0.5L) == sqrtl(2) && fabsl(sinl(1) * sinl(1) + cosl(1) * cosl(1) - 1) < 1e-18L);
  assert(expl(0) == 1 && logl(1) == 0 && hypotl(3, 4) == 5);
  int e;
  assert(frexpl(0.75L, &e) == 0.75L && e == 0 && frexpl(table[5], &e) == 0.5L && e == -16444);
  assert(ldexpl(0.75L, 3) == 6 && scalbnl(1, -16445) == table[5] && ilogbl(8) == 3);
  long double whole;
  assert(modfl(-2.25L, &whole) == -0.25L && whole == -2);
  assert(lroundl(2.5L) == 3 && llrintl(2.5L) == 2);

  char s[64];
  snprintf(s, sizeof s, "%Lf|%.3Le|%Lg|%8.2Lf|%-8.1Lf|", 1.5L, 12345.0L, tenth, -2.0L, 3.0L);
  assert(!strcmp(s, "1.500000|1.234e+04|0.1|   -2.00|3.0     |"));
  snprintf(s, sizeof s, "%.21Lg %La %a %+08.1La", tenth, 1.0L, 1.5, 2.0L);
  assert(!strcmp(s, "0.100000000000000000001 0x8p-3 0x1.8p+0 +0x8.0p-2"));
  text(s, sizeof s, "%d %Lg %s %Lg", 1, 2.5L, "and", 3.5L);
  assert(!strcmp(s, "1 2.5 and 3.5"));

  char *end;
  assert(strtold("0.1x", &end) == tenth && *end == 'x');
  assert(strtold("0x1p-3", NULL) == 0.125L && strtold("1e6000", NULL) == HUGE_VALL);
  return 0;
}
