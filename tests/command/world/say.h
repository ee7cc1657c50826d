/* What the programs that are compared with native runs print of a call: its result, and the error if it failed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

static void say(const char *what, long result) {
  printf("%s: %ld", what, result);
  if (result == -1)
    printf(" %s", strerror(errno));
  putchar('\n');
}
