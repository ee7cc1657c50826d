// expect: pass-bounded
#include <assert.h>
#include <errno.h>
#include <pthread.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static int begun, ended;
static _Thread_local int own = 3;
static void end(void *value) { ended += *(int *)value; }
static void begin(void) {
  begun++;
  pthread_key_create(&key, end);
}
static int number = 4;
static void *other(void *unused) {
  pthread_once(&once, begin);
  assert(pthread_getspecific(key) == 0);
  pthread_setspecific(key, &number);
  own++;
  errno = 7;
  assert(!pthread_equal(pthread_self(), *(pthread_t *)unused));
  pthread_exit(&own);
}
int main(void) {
  pthread_t me = pthread_self(), thread;
  errno = 9;
  pthread_once(&once, begin);
  pthread_setspecific(key, &begun);
  pthread_create(&thread, 0, other, &me);
  pthread_join(thread, 0);
  assert(pthread_getspecific(key) == &begun);
  assert(begun == 1 && ended == 4 && own == 3 && errno == 9);
  return 0;
}
