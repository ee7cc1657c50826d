// expect: pass-complete
#include <assert.h>
#include <limits.h>
#include <locale.h>
#include <string.h>
int main(void) {
  assert(strcmp(setlocale(LC_ALL, ""), "C") == 0);
  assert(setlocale(LC_NUMERIC, "xx_YY") == NULL);
  const char *name = setlocale(LC_ALL, NULL);
  struct lconv *conventions = localeconv();
  assert(strcmp(name, "C") == 0 && conventions == localeconv());
  assert(strcmp(conventions->decimal_point, ".") == 0);
  assert(*conventions->thousands_sep == 0 && *conventions->negative_sign == 0);
  assert(conventions->frac_digits == CHAR_MAX && conventions->int_n_sign_posn == CHAR_MAX);
  return 0;
}
