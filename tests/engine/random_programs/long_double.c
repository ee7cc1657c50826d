/* Random operations on `long double`s, each result written with all its bits. SEED tells which. */
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = SEED;

static uint64_t word(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

/* A number: small, any, near the ends, or none. */
static long double number(void) {
  long double x = (long double)(int64_t)word() / (int64_t)(word() >> 33 | 1);
  switch (word() % 8) {
  case 0: return (int64_t)word() >> word() % 64;
  case 1: return ldexpl(x, (int)(word() % 32000) - 16000);
  case 2: return word() % 2 ? HUGE_VALL : -HUGE_VALL;
  case 3: return (double)x;
  case 4: return (float)x;
  case 5: return word() % 2 ? 0.0L : -0.0L;
  default: return x;
  }
}

/* The sign of a NaN that an operation makes is not told. */
static void show(const char *what, long double x) {
  if (isnan(x)) printf("%s nan\n", what);
  else printf("%s %La %.25Lg\n", what, x, x);
}

static long double last(int n, ...) {
  va_list list;
  long double x = 0;
  va_start(list, n);
  while (n--) x = va_arg(list, int) + va_arg(list, long double);
  va_end(list);
  return x;
}

int main(void) {
  for (int i = 0; i < 60; i++) {
    long double x = number(), y = number();
    show("x", x), show("y", y);
    show("+", x + y), show("-", x - y), show("*", x * y), show("/", x / y);
    show("fmod", fabsl(x) < 1e30L && fabsl(y) > 1e-30L ? fmodl(x, y) : 0);
    show("sqrt", sqrtl(fabsl(x))), show("fma", fmal(x, y, x));
    show("floor", floorl(x)), show("rint", rintl(y)), show("trunc", truncl(x));
    printf("%d%d%d%d%d%d\n", x < y, x <= y, x == y, x != y, x > y, isunordered(x, y));
    printf("%a %a\n", (double)x, (double)(float)y);
    if (fabsl(x) < 0x1p62L) printf("%lld\n", (long long)x);
    if (x >= 0 && x < 0x1p63L) printf("%llu\n", (unsigned long long)x);
    show("int", (int64_t)word()), show("unsigned", (long double)word());
    show("wide", (long double)(__int128)((unsigned __int128)word() << 64 | word()));
    show("min", fminl(x, y) + 0), show("max", fmaxl(x, y) + 0), show("sign", copysignl(x, y));
    show("last", last(3, 1, x, 2, y, 3, x));
    char text[80];
    snprintf(text, sizeof text, "%.30Le", x);
    long double back;
    back = strtold(text, NULL);
    printf("%d\n", back == x);
    int e;
    show("frexp", frexpl(y, &e));
    if (isfinite(y)) printf("%d\n", e);
  }
  return 0;
}
