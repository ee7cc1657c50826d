// expect: pass-complete
#include <assert.h>
#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>
int main(void) {
  int ends[2];
  char c = 0;
  assert(!pipe(ends) && write(ends[1], "ab", 2) == 2);
  assert(read(ends[0], 0, 1) == -1 && errno == EFAULT);
  errno = 0;
  assert(write(ends[1], 0, 1) == -1 && errno == EFAULT);
  assert(write(ends[1], 0, 0) == 0);
  struct iovec pieces[] = {{&c, 1}, {0, 1}};
  assert(readv(ends[0], pieces, 2) == 1 && c == 'a');
  assert(read(ends[0], &c, 1) == 1 && c == 'b');
  return 0;
}
