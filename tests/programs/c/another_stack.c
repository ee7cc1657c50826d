// expect: pass-complete
// A function goes on on another stack, as the crate psm has it in assembly.
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <symex.h>
void rust_psm_on_stack(size_t data, size_t result, void (*function)(size_t, size_t), void *stack);
unsigned char rust_psm_stack_direction(void);
unsigned char *rust_psm_stack_pointer(void);
static void twice(size_t data, size_t result) { *(int *)result = 2 * *(int *)data; }
int main(void) {
  int x, y = 0;
  symex_make_symbolic(&x, sizeof x, "x");
  symex_assume(x > 0 && x < 100);
  char *stack = malloc(4096);
  if (!stack) return 0;
  assert(rust_psm_stack_direction() == 2);
  assert((uintptr_t)rust_psm_stack_pointer() > (uintptr_t)stack + 4096);
  rust_psm_on_stack((size_t)&x, (size_t)&y, twice, stack + 4096);
  assert(y == 2 * x);
  free(stack);
}
