/* Calls that wait for files, and those on counters and pairs of sockets, whose results a native run and the engine must agree on. Nothing here depends on inputs. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>
#include "say.h"

static void news(const char *what, int watch, int most) {
  struct epoll_event found[8];
  int count = epoll_wait(watch, found, most, 0);
  say(what, count);
  for (int i = 0; i < count; i++)
    printf("  %#x of %llu\n", found[i].events, (unsigned long long)found[i].data.u64);
}

static void add(const char *what, int watch, int operation, int fd, uint32_t events, uint64_t data) {
  struct epoll_event event = {.events = events, .data.u64 = data};
  say(what, epoll_ctl(watch, operation, fd, &event));
}

static void count(const char *what, int fd) {
  uint64_t value = 77;
  say(what, read(fd, &value, sizeof value));
  printf("  %llu\n", (unsigned long long)value);
}

static void raise_by(const char *what, int fd, uint64_t by) { say(what, write(fd, &by, sizeof by)); }

static void counters(void) {
  int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
  say("eventfd", fd);
  say("closes on exec", fcntl(fd, F_GETFD));
  say("flags", fcntl(fd, F_GETFL));
  count("empty", fd);
  raise_by("by 3", fd, 3);
  raise_by("by 4", fd, 4);
  count("seven", fd);
  count("empty again", fd);
  raise_by("most", fd, UINT64_MAX - 1);
  raise_by("one more", fd, 1);
  raise_by("too much", fd, UINT64_MAX);
  count("all", fd);
  char bytes[16];
  raise_by("by 1", fd, 1);
  say("read nothing", read(fd, bytes, 0));
  say("short read", read(fd, bytes, 7));
  say("long read", read(fd, bytes, 16));
  say("short write", write(fd, "1234", 4));
  say("seek", lseek(fd, 0, SEEK_SET));
  close(fd);
  fd = eventfd(2, EFD_SEMAPHORE | EFD_NONBLOCK);
  count("first", fd);
  count("second", fd);
  count("third", fd);
  close(fd);
  say("bad flags", eventfd(0, 0x10));
}

static void levels(void) {
  int ends[2], fd = eventfd(0, EFD_NONBLOCK), watch = epoll_create1(EPOLL_CLOEXEC);
  pipe(ends);
  say("watch", watch);
  say("closes on exec", fcntl(watch, F_GETFD));
  say("bad flags", epoll_create1(1));
  say("bad size", epoll_create(0));
  news("nothing", watch, 8);
  add("add", watch, EPOLL_CTL_ADD, fd, EPOLLIN, 1);
  add("again", watch, EPOLL_CTL_ADD, fd, EPOLLIN, 1);
  add("pipe", watch, EPOLL_CTL_ADD, ends[0], EPOLLIN, 2);
  add("unknown", watch, EPOLL_CTL_MOD, ends[1], EPOLLIN, 4);
  add("other end", watch, EPOLL_CTL_ADD, ends[1], EPOLLOUT, 3);
  add("itself", watch, EPOLL_CTL_ADD, watch, EPOLLIN, 4);
  add("closed", watch, EPOLL_CTL_ADD, 99, EPOLLIN, 4);
  add("no watch", fd, EPOLL_CTL_ADD, ends[0], EPOLLIN, 4);
  add("bad operation", watch, 9, fd, EPOLLIN, 4);
  int file = open("given", O_RDONLY);
  add("file", watch, EPOLL_CTL_ADD, file, EPOLLIN, 4);
  close(file);
  news("room", watch, 8);
  raise_by("raise", fd, 1);
  news("two", watch, 8);
  news("the same", watch, 8);
  news("none wanted", watch, 0);
  say("write", write(ends[1], "abc", 3));
  news("three", watch, 8);
  count("count", fd);
  char bytes[8];
  say("read", read(ends[0], bytes, 8));
  news("room alone", watch, 8);
  add("change", watch, EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLOUT, 5);
  news("both", watch, 8);
  say("remove", epoll_ctl(watch, EPOLL_CTL_DEL, fd, NULL));
  say("remove again", epoll_ctl(watch, EPOLL_CTL_DEL, fd, NULL));
  close(ends[1]);
  news("hung up", watch, 8);
  close(ends[0]);
  news("gone", watch, 8);
  struct stat status;
  say("stat", fstat(watch, &status));
  say("kind", status.st_mode & S_IFMT);
  say("read watch", read(watch, bytes, 1));
  close(watch);
  close(fd);
}

static void edges(void) {
  int pair[2], fd = eventfd(0, EFD_NONBLOCK), watch = epoll_create1(0);
  say("pair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair));
  add("counter", watch, EPOLL_CTL_ADD, fd, EPOLLIN | EPOLLET, 1);
  add("socket", watch, EPOLL_CTL_ADD, pair[0], EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, 2);
  news("room", watch, 8);
  news("told", watch, 8);
  raise_by("raise", fd, 1);
  news("raised", watch, 8);
  news("told", watch, 8);
  raise_by("raise", fd, 1);
  news("raised again", watch, 8);
  count("count", fd);
  news("empty", watch, 8);
  say("write", write(pair[1], "hello", 5));
  news("something", watch, 8);
  news("told", watch, 8);
  say("write", write(pair[1], "!", 1));
  raise_by("raise", fd, 1);
  news("in order", watch, 8);
  add("again", watch, EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLET, 3);
  news("anew", watch, 8);
  add("once", watch, EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLONESHOT, 4);
  news("once", watch, 8);
  raise_by("raise", fd, 1);
  news("not twice", watch, 8);
  add("armed", watch, EPOLL_CTL_MOD, fd, EPOLLIN | EPOLLONESHOT, 4);
  news("armed", watch, 8);
  char bytes[8];
  say("read", read(pair[0], bytes, 8));
  say("read empty", read(pair[0], bytes, 8));
  say("end", shutdown(pair[1], SHUT_WR));
  news("end", watch, 8);
  say("read end", read(pair[0], bytes, 8));
  close(pair[1]);
  news("closed", watch, 8);
  close(pair[0]);
  close(watch);
  close(fd);
}

static void sockets(void) {
  int pair[2], none[2], kind;
  socklen_t size = sizeof kind;
  char bytes[8];
  say("pair", socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
  say("option", getsockopt(pair[0], SOL_SOCKET, SO_TYPE, &kind, &size));
  say("kind", kind);
  say("error", getsockopt(pair[0], SOL_SOCKET, SO_ERROR, &kind, &size));
  say("kind", kind);
  say("other family", socketpair(AF_INET, SOCK_STREAM, 0, none));
  struct stat status;
  fstat(pair[0], &status);
  say("socket", S_ISSOCK(status.st_mode));
  say("seek", lseek(pair[0], 0, SEEK_CUR));
  say("send", send(pair[0], "one", 3, MSG_NOSIGNAL));
  say("write", write(pair[0], "two", 3));
  say("recv", recv(pair[1], bytes, 4, 0));
  printf("  %.4s\n", bytes);
  say("back", write(pair[1], "x", 1));
  say("read", read(pair[1], bytes, 8));
  printf("  %.2s\n", bytes);
  say("recv", recvfrom(pair[0], bytes, 8, 0, NULL, NULL));
  say("no socket", send(1, "x", 1, 0));
  say("shutdown", shutdown(pair[0], SHUT_RD));
  say("refused", send(pair[1], "x", 1, MSG_NOSIGNAL));
  say("other way", write(pair[0], "x", 1));
  say("bad way", shutdown(pair[0], 7));
  close(pair[1]);
  say("closed", send(pair[0], "x", 1, MSG_NOSIGNAL));
  say("reset", read(pair[0], bytes, 8));
  say("end", read(pair[0], bytes, 8));
  close(pair[0]);
}

static void timeouts(void) {
  int ends[2];
  pipe(ends);
  struct pollfd entry = {.fd = ends[0], .events = POLLIN};
  struct timespec before, after, little = {0, 2000000};
  clock_gettime(CLOCK_MONOTONIC, &before);
  say("poll", poll(&entry, 1, 3));
  say("nothing", poll(NULL, 0, 2));
  say("ppoll", ppoll(&entry, 1, &little, NULL));
  struct timeval left = {0, 4000};
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  say("select", select(ends[0] + 1, &set, NULL, NULL, &left));
  say("left", FD_ISSET(ends[0], &set));
  int watch = epoll_create1(0);
  struct epoll_event event = {.events = EPOLLIN};
  epoll_ctl(watch, EPOLL_CTL_ADD, ends[0], &event);
  say("epoll", epoll_wait(watch, &event, 1, 5));
  say("epoll", epoll_pwait(watch, &event, 1, 1, NULL));
  clock_gettime(CLOCK_MONOTONIC, &after);
  long passed = (after.tv_sec - before.tv_sec) * 1000000000 + after.tv_nsec - before.tv_nsec;
  say("time has passed", passed >= 17000000);
  struct pollfd inner = {.fd = watch, .events = POLLIN};
  say("watch", poll(&inner, 1, 0));
  say("write", write(ends[1], "x", 1));
  say("watch", poll(&inner, 1, 0));
  say("events", inner.revents);
  close(watch);
  close(ends[0]);
  close(ends[1]);
}

static void timers(void) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC), watch = epoll_create1(0);
  struct itimerspec timer = {{0, 0}, {100, 5}}, old;
  struct epoll_event event = {.events = EPOLLIN, .data.u64 = 6};
  say("timer", fd);
  say("bad clock", timerfd_create(77, 0));
  count("not set", fd);
  say("set", timerfd_settime(fd, 0, &timer, &old));
  say("was not set", old.it_value.tv_sec + old.it_value.tv_nsec);
  say("get", timerfd_gettime(fd, &old));
  say("left", old.it_value.tv_sec >= 99);
  count("to come", fd);
  timer.it_value.tv_nsec = 1000000000;
  say("wrong", timerfd_settime(fd, 0, &timer, NULL));
  timer.it_value = (struct timespec){0, 3000000};
  say("set", timerfd_settime(fd, 0, &timer, NULL));
  say("watch", epoll_ctl(watch, EPOLL_CTL_ADD, fd, &event));
  say("expires", epoll_wait(watch, &event, 1, 10000));
  printf("  %#x of %llu\n", event.events, (unsigned long long)event.data.u64);
  count("once", fd);
  count("no more", fd);
  say("nothing", epoll_wait(watch, &event, 1, 1));
  say("write", write(fd, "12345678", 8));
  close(fd);
  close(watch);
  fd = timerfd_create(CLOCK_REALTIME, 0);
  timer.it_value = (struct timespec){1, 0};
  say("long ago", timerfd_settime(fd, TFD_TIMER_ABSTIME, &timer, NULL));
  count("at once", fd);
  timer.it_value = (struct timespec){0, 2000000};
  say("soon", timerfd_settime(fd, 0, &timer, NULL));
  count("in time", fd);
  say("no timer", timerfd_gettime(1, &old));
  close(fd);
}

#ifdef __x86_64__
/* The instruction, with as many arguments as there are. */
static long direct(long number, long a, long b, long c, long d) {
  long result;
  register long fourth __asm__("r10") = d;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
                   : "rcx", "r11", "memory");
  return result;
}

static void instructions(void) {
  errno = 5;
  say("getppid", direct(SYS_getppid, 0, 0, 0, 0) > 0);
  long fd = direct(SYS_openat, AT_FDCWD, (long)"given", O_RDONLY, 0);
  say("openat", fd);
  char bytes[8];
  say("read", direct(SYS_read, fd, (long)bytes, 4, 0));
  printf("  %.4s\n", bytes);
  say("fcntl", direct(SYS_fcntl, fd, F_GETFD, 0, 0));
  say("close", direct(SYS_close, fd, 0, 0, 0));
  say("closed", direct(SYS_close, fd, 0, 0, 0) + 0L == -EBADF);
  say("missing", direct(SYS_openat, AT_FDCWD, (long)"missing", O_RDONLY, 0) == -ENOENT);
  say("errno", errno);
}
#endif

int main(void) {
  counters();
  levels();
  edges();
  sockets();
  timeouts();
  timers();
#ifdef __x86_64__
  instructions();
#endif
  return 0;
}
