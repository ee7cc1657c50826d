// expect: pass-complete
#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <symex.h>
static atomic_int counter = 3;
static _Atomic(long) wide;
static atomic_flag flag = ATOMIC_FLAG_INIT;
struct pair { int a, b; };
static _Atomic struct pair both;
struct triple { long a, b, c; };
int main(void) {
  int n = symex_range(0, 100, "n");
  assert(atomic_fetch_add(&counter, n) == 3 && counter == 3 + n);
  counter++, counter -= 2;
  assert(atomic_load_explicit(&counter, memory_order_acquire) == 2 + n);
  int expected = 2;
  bool same = atomic_compare_exchange_strong(&counter, &expected, 50);
  assert(same == (n == 0) && expected == 2 + n);
  assert(atomic_exchange(&wide, 5) == 0 && atomic_fetch_or(&wide, 8) == 5 && wide == 13);
  assert(!atomic_flag_test_and_set(&flag) && atomic_flag_test_and_set(&flag));
  atomic_flag_clear(&flag);
  struct pair p = {n, 2};
  atomic_store(&both, p);
  assert(atomic_load(&both).a == n);
  atomic_thread_fence(memory_order_seq_cst);
  assert(__sync_bool_compare_and_swap(&p.b, 2, 3) && p.b == 3 && __sync_fetch_and_sub(&p.b, 1) == 3);
  assert(__atomic_add_fetch(&p.a, 1, __ATOMIC_RELAXED) == n + 1);
  assert(atomic_is_lock_free(&counter));
  return 0;
}
