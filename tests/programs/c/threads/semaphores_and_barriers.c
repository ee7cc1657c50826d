// expect: pass-bounded
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t ready;
static pthread_barrier_t all;
static int value, last;
static void *other(void *unused) {
  value = 5;
  sem_post(&ready);
  int result = pthread_barrier_wait(&all);
  assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
  assert(last == 6);
  return unused;
}
int main(void) {
  pthread_t thread;
  sem_init(&ready, 0, 0);
  pthread_barrier_init(&all, 0, 2);
  pthread_create(&thread, 0, other, 0);
  sem_wait(&ready);
  assert(value == 5);
  last = 6;
  pthread_barrier_wait(&all);
  pthread_join(thread, 0);
  return 0;
}
