// expect: pass-bounded
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;
static void *add(void *by) {
  pthread_mutex_lock(&lock);
  count += *(int *)by;
  pthread_mutex_unlock(&lock);
  return by;
}
int main(void) {
  pthread_t threads[2];
  int by[2] = {1, 2};
  for (int i = 0; i < 2; i++)
    assert(pthread_create(&threads[i], 0, add, &by[i]) == 0);
  for (int i = 0; i < 2; i++) {
    void *result;
    assert(pthread_join(threads[i], &result) == 0 && result == &by[i]);
  }
  assert(count == 3);
  return 0;
}
