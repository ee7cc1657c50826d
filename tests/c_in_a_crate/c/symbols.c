/* What linking joins: variables of both sides, thread-locals, weak symbols, aliases, constructors. */
#include <stdint.h>

uint32_t c_counter = 5;
const char *const c_names[] = {"zero", "one", "two"};
extern uint32_t rust_counter;
extern const uint16_t rust_table[4];

uint32_t count_both(uint32_t by) {
    c_counter += by;
    rust_counter += 2 * by;
    return c_counter ^ rust_counter;
}

uint16_t rust_table_at(uint8_t i) { return rust_table[i]; }

static _Thread_local uint32_t depth = 3;
_Thread_local uint32_t c_local = 9;

uint32_t depth_add(uint32_t by) { return depth += by; }
uint32_t *depth_at(void) { return &depth; }

/* Rust defines one of them. */
__attribute__((weak)) uint32_t chosen(uint32_t x) { return x + 1; }
__attribute__((weak)) uint32_t other(uint32_t x) { return x + 1; }
__attribute__((weak)) uint32_t absent(uint32_t x);

uint32_t call_chosen(uint32_t x) { return chosen(x); }
uint32_t call_other(uint32_t x) { return other(x); }
int has_absent(void) { return absent != 0; }
uint32_t call_absent(uint32_t x) { return absent(x); }

uint32_t original(uint32_t x) { return x ^ 0x5a; }
uint32_t same_as_original(uint32_t x) __attribute__((alias("original")));
extern uint32_t counter_by_another_name __attribute__((alias("c_counter")));

static uint32_t order;
__attribute__((constructor(201))) static void first(void) { order = order * 10 + 1; }
__attribute__((constructor)) static void second(void) { order = order * 10 + 2; }
uint32_t constructed(void) { return order; }

/* Hidden functions of the same name in two files. */
static uint32_t helper(uint32_t x) { return x + 100; }
uint32_t through_helper(uint32_t x) { return helper(x); }
