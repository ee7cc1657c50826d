// expect: pass-complete
#include <assert.h>
#include <stdint.h>
#include <symex.h>
static uintptr_t owner;
__attribute__((constructor)) static void start(void) { owner = (uintptr_t)__builtin_thread_pointer(); }
int main(void) {
  int n = symex_range(0, 100, "n");
  assert(owner != 0 && owner == (uintptr_t)__builtin_thread_pointer());
  assert(*(void **)__builtin_thread_pointer() == __builtin_thread_pointer());
  return n > 100;
}
