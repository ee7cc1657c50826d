// expect: pass-bounded
#include <assert.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>
static int counter, watch, data, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t end = PTHREAD_COND_INITIALIZER;
static void finish(int step) {
  pthread_mutex_lock(&lock);
  done = step;
  pthread_cond_signal(&end);
  pthread_mutex_unlock(&lock);
}
static void wait_for(int step) {
  pthread_mutex_lock(&lock);
  while (done < step)
    pthread_cond_wait(&end, &lock);
  pthread_mutex_unlock(&lock);
}
static void *reacts(void *unused) {
  struct epoll_event event;
  uint64_t count;
  assert(epoll_wait(watch, &event, 1, -1) == 1 && event.data.fd == counter);
  // What was written before the counter was raised is seen.
  assert(read(counter, &count, 8) == 8 && count == 3 && data == 7);
  finish(1);
  // A timer that was just set ends the wait, though all others wait for this thread.
  int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  struct itimerspec soon = {{0, 0}, {0, 1000000}};
  event.data.fd = timer;
  assert(epoll_ctl(watch, EPOLL_CTL_ADD, timer, &event) == 0);
  assert(timerfd_settime(timer, 0, &soon, 0) == 0);
  assert(epoll_wait(watch, &event, 1, -1) == 1 && event.data.fd == timer);
  // So does a timeout.
  assert(read(timer, &count, 8) == 8 && count == 1);
  assert(epoll_wait(watch, &event, 1, 5) == 0);
  finish(2);
  return unused;
}
int main(void) {
  pthread_t thread;
  uint64_t three = 3;
  watch = epoll_create1(0);
  counter = eventfd(0, EFD_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = counter};
  assert(epoll_ctl(watch, EPOLL_CTL_ADD, counter, &event) == 0);
  pthread_create(&thread, 0, reacts, 0);
  data = 7;
  assert(write(counter, &three, 8) == 8);
  wait_for(1);
  wait_for(2);
  pthread_join(thread, 0);
  return 0;
}
