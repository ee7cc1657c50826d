// expect: pass-complete
#include <assert.h>
#include <stdlib.h>
static int order[8], n;
static void note(int what) { order[n++] = what; }
__attribute__((constructor)) static void last(void) { note(3); }
__attribute__((constructor(200))) static void second(void) { note(2); }
__attribute__((constructor(101))) static void first(void) { note(1); }
__attribute__((destructor)) static void early(void) { note(6); }
__attribute__((destructor(101))) static void late(void) {
  assert(n == 6 && order[3] == 4 && order[4] == 5 && order[5] == 6);
}
static void registered(void) { note(5); }
int main(void) {
  assert(n == 3 && order[0] == 1 && order[1] == 2 && order[2] == 3);
  atexit(registered);
  note(4);
  return 0;
}
