// expect: pass-complete
// A small matcher of regular expressions, asked with every expression of up to seven characters.
#include <symex.h>
#include <assert.h>
static int here(const char *pattern, const char *text);

static int repeated(char c, const char *pattern, const char *text) {
  for (;;) {
    if (here(pattern, text))
      return 1;
    if (*text == 0 || (c != '.' && *text != c))
      return 0;
    text++;
  }
}
static int here(const char *pattern, const char *text) {
  if (pattern[0] == 0)
    return 1;
  if (pattern[1] == '*')
    return repeated(pattern[0], pattern + 2, text);
  if (pattern[0] == '$' && pattern[1] == 0)
    return *text == 0;
  if (*text != 0 && (pattern[0] == '.' || pattern[0] == *text))
    return here(pattern + 1, text + 1);
  return 0;
}
static int match(const char *pattern, const char *text) {
  if (pattern[0] == '^')
    return here(pattern + 1, text);
  do
    if (here(pattern, text))
      return 1;
  while (*text++ != 0);
  return 0;
}
int main(void) {
  char pattern[8];
  symex_make_symbolic(pattern, 7, "pattern");
  pattern[7] = 0;
  int found = match(pattern, "hello");
  // What begins with a character of its own cannot be found, unless that may be repeated no times.
  if (pattern[0] == 'z' && pattern[1] != '*')
    assert(!found);
  return 0;
}
