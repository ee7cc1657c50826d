/* What panics pass through; compiled with -fexceptions. */
#include <stdint.h>

typedef uint32_t (*callback)(uint32_t);

static void add_ten(uint32_t *seen) { *seen += 10; }

uint32_t cleaned;

/* Calls, and counts however the call ends. */
uint32_t pass_through(callback f, uint32_t x) {
    __attribute__((cleanup(add_ten))) uint32_t seen = 0;
    cleaned = cleaned + 1;
    return f(x) + 1;
}
