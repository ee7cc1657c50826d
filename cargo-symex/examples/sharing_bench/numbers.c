// Numbers with signs and separators: arithmetic of several digits.
#include <assert.h>
#include <symex.h>
int main(void) {
  char text[12];
  symex_make_symbolic(text, sizeof text, "text");
  long sum = 0, number = 0;
  int sign = 1;
  for (unsigned i = 0; i < sizeof text; i++) {
    char c = text[i];
    if (c >= '0' && c <= '9')
      number = number * 10 + (c - '0');
    else if (c == ',' || c == ';') {
      sum += sign * number;
      number = 0;
      sign = 1;
    } else if (c == '-')
      sign = -sign;
    else
      break;
  }
  assert(sum + sign * number <= 999999999999L);
  return 0;
}
