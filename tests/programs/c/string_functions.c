// expect: bug abort
#include <symex.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
  char s[6];
  symex_make_symbolic(s, sizeof s, "s");
  s[5] = 0;
  if (strlen(s) == 5 && memcmp(s, "key", 3) == 0 && strchr(s, '=') == s + 3 && s[4] == '1') abort();
  return 0;
}
