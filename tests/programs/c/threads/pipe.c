// expect: pass-bounded
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
static int ends[2], done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t end = PTHREAD_COND_INITIALIZER;
static void *writes(void *unused) {
  assert(write(ends[1], "ab", 2) == 2);
  close(ends[1]);
  pthread_mutex_lock(&lock);
  done = 1;
  pthread_cond_signal(&end);
  pthread_mutex_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t thread;
  char text[2];
  assert(pipe(ends) == 0);
  pthread_create(&thread, 0, writes, 0);
  assert(read(ends[0], text, 2) == 2 && text[0] == 'a' && text[1] == 'b');
  // It has waited for the pipe, and may wait for the condition as well.
  pthread_mutex_lock(&lock);
  while (!done)
    pthread_cond_wait(&end, &lock);
  pthread_mutex_unlock(&lock);
  assert(read(ends[0], text, 2) == 0);
  pthread_join(thread, 0);
  return 0;
}
