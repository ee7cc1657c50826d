// expect: pass-bounded
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2];
static void *writes(void *unused) {
  assert(write(ends[1], "ab", 2) == 2);
  close(ends[1]);
  return unused;
}
int main(void) {
  pthread_t thread;
  char text[2];
  assert(pipe(ends) == 0);
  pthread_create(&thread, 0, writes, 0);
  assert(read(ends[0], text, 2) == 2 && text[0] == 'a' && text[1] == 'b');
  assert(read(ends[0], text, 2) == 0);
  pthread_join(thread, 0);
  return 0;
}
