// expect: pass-bounded
#include <assert.h>
#include <stdlib.h>
#include <string.h>
extern char **environ;
int main(void) {
  assert(environ && !*environ);
  setenv("NAME", "value", 1);
  assert(!strcmp(environ[0], "NAME=value") && !environ[1]);
  return 0;
}
