// expect: pass-bounded
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
static long long now(int clock) {
  struct timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}
int main(void) {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 2;
  long long start = now(CLOCK_MONOTONIC);
  pthread_mutex_lock(&lock);
  assert(pthread_cond_timedwait(&condition, &lock, &end) == ETIMEDOUT);
  assert(pthread_mutex_timedlock(&lock, &end) == ETIMEDOUT);
  pthread_mutex_unlock(&lock);
  long long waited = now(CLOCK_MONOTONIC) - start;
  assert(waited > 1900000000LL && waited < 2100000000LL);
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += 3;
  assert(!clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, 0));
  waited = now(CLOCK_MONOTONIC) - start;
  assert(waited > 4900000000LL && waited < 5100000000LL);
  return 0;
}
