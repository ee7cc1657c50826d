// expect: pass-complete
#include <assert.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <symex.h>

static jmp_buf outer;
static int trail[8], steps;

static void note(int what) { trail[steps++] = what; }

static void deep(int n, jmp_buf to, int value) {
  int local[4] = {n};
  if (n == 0) longjmp(to, value);
  deep(local[0] - 1, to, value);
  note(-1);
}

/* A variable that is changed between the two returns is in memory. */
static int counted(void) {
  volatile int tries = 0;
  int before = 5;
  int got = setjmp(outer);
  tries++;
  assert(before == 5);
  if (tries < 4) deep(3, outer, tries);
  assert(got == 3);
  return tries;
}

/* A jump with 0 returns 1. */
static int zero(void) {
  jmp_buf here;
  switch (setjmp(here)) {
  case 0: deep(0, here, 0);
  case 1: return 1;
  default: return 0;
  }
}

/* Inner ones first; then the outer one, which is still there. */
static int nested(int n) {
  jmp_buf inner, saved;
  memcpy(saved, outer, sizeof saved);
  if (setjmp(outer) == 0) {
    if (setjmp(inner) == 0) deep(2, inner, 1);
    note(1);
    longjmp(outer, n);
  }
  note(2);
  memcpy(outer, saved, sizeof saved);
  return n;
}

/* As interpreters have it: errors leave any depth of protected calls. */
struct handler {
  struct handler *previous;
  jmp_buf buffer;
  volatile int status;
};
static struct handler *handlers;

static void raise_error(int status) {
  handlers->status = status;
  longjmp(handlers->buffer, 1);
}

static int protected(void (*f)(void *), void *argument) {
  struct handler h;
  h.previous = handlers, h.status = 0;
  handlers = &h;
  if (_setjmp(h.buffer) == 0) f(argument);
  handlers = h.previous;
  return h.status;
}

static void half(void *number) {
  int *n = number;
  if (*n % 2) raise_error(7);
  *n /= 2;
}

static void twice(void *number) {
  int first = protected(half, number);
  if (first) raise_error(first + 1);
  half(number);
}

static sigjmp_buf from_handler;
static void on_signal(int number) { siglongjmp(from_handler, number); }

static int signalled(void) {
  volatile int times = 0;
  signal(SIGUSR1, on_signal);
  if (sigsetjmp(from_handler, 1) == SIGUSR1) times++;
  if (times < 2) raise(SIGUSR1);
  return times;
}

/* Stack objects made before the jump stay, those of calls that were left do not. */
static int objects(int n) {
  jmp_buf here;
  volatile int round = 0;
  char *volatile text = 0;
  if (setjmp(here) == 0) {
    char array[n];
    memset(array, 'x', n);
    text = malloc(n);
    memcpy(text, array, n);
    longjmp(here, 1);
  }
  int same = text[n - 1] == 'x';
  free(text);
  return same && round == 0;
}

/* A value that depends on inputs comes back. */
static int symbolic(int value) {
  jmp_buf here;
  int got = setjmp(here);
  if (got == 0) longjmp(here, value);
  return got;
}

int main(void) {
  assert(counted() == 4 && steps == 0);
  assert(zero() == 1);
  assert(nested(9) == 9 && steps == 2 && trail[0] == 1 && trail[1] == 2);
  int n = symex_range(0, 64, "n"), rest = n;
  int status = protected(twice, &rest);
  if (n % 4 == 0) assert(status == 0 && rest == n / 4);
  else assert(status == (n % 2 ? 8 : 7) && handlers == 0);
  assert(signalled() == 2);
  assert(objects(n + 1));
  assert(symbolic(n) == (n ? n : 1));
  return 0;
}
