// expect: pass-bounded
#include <assert.h>
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int value = 1;
static void *reads(void *unused) {
  pthread_rwlock_rdlock(&lock);
  assert(value == 1 || value == 2);
  pthread_rwlock_unlock(&lock);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, reads, 0);
  pthread_rwlock_wrlock(&lock);
  value = 2;
  pthread_rwlock_unlock(&lock);
  reads(0);
  pthread_join(thread, 0);
  return 0;
}
