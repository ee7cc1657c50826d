// expect: pass-complete
#include <assert.h>
#include <errno.h>
#include <symex.h>
#include <threads.h>
static _Thread_local int counter = 5;
thread_local int zeroed;
__thread char text[4] = "abc";
static int *address(void) { return &counter; }
int main(void) {
  int n = symex_range(0, 3, "n");
  assert(counter == 5 && zeroed == 0 && text[n] == "abc"[n]);
  *address() += n;
  text[n] = 'x';
  assert(counter == 5 + n && &counter == address());
  errno = n;
  assert(errno == n);
  return 0;
}
