// expect: pass-bounded
#include <assert.h>
#include <pthread.h>
#include <symex.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int item, full;
static void *give(void *value) {
  pthread_mutex_lock(&lock);
  item = *(int *)value;
  full = 1;
  pthread_cond_signal(&filled);
  pthread_mutex_unlock(&lock);
  return 0;
}
int main(void) {
  int value = symex_range(0, 100, "value");
  pthread_t thread;
  pthread_create(&thread, 0, give, &value);
  pthread_mutex_lock(&lock);
  while (!full)
    pthread_cond_wait(&filled, &lock);
  assert(item == value);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  return 0;
}
