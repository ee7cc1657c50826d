// expect: bug deadlock
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>
static int counter;
static void *waits(void *unused) {
  uint64_t count;
  read(counter, &count, 8);
  return unused;
}
int main(void) {
  pthread_t thread;
  counter = eventfd(0, 0);
  pthread_create(&thread, 0, waits, 0);
  pthread_join(thread, 0);
  return 0;
}
