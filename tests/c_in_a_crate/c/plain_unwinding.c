/* What panics pass through; compiled without -fexceptions, as C is unless told otherwise. */
#include <stdint.h>

uint32_t pass_through_plain(uint32_t (*f)(uint32_t), uint32_t x) { return f(x) + 1; }
