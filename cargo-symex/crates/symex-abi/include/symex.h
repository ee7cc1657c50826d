/* symex.h: inputs of C and C++ programs for `cargo symex`.
 *
 * A program is run on all values of its inputs at once. What it asks for by these functions is an input; a finding comes with
 * values for which the program fails.
 *
 *     #include <symex.h>
 *
 *     int main(void) {
 *         unsigned char packet[6];
 *         symex_make_symbolic(packet, sizeof packet, "packet");
 *         parse(packet, sizeof packet);
 *         return 0;
 *     }
 *
 * C89 and later, C++98 and later. `cargo symex` finds this file by itself. It does not define the functions: natively that is
 * done by the file that a finding leaves behind, by symex-runtime in the tests of a Rust crate, or by you.
 */
#ifndef SYMEX_H
#define SYMEX_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
typedef bool symex_bool;
#else
/* Not `int`, which would lose the upper half of a long condition. */
__extension__ typedef _Bool symex_bool;
#endif

/* Makes the `size` bytes at `at` an input: each of them may have any value. */
void symex_make_symbolic(void *at, size_t size, const char *name);

/* An input of the range `begin <= value < end`. If there is no such value, no path goes on. */
int symex_range(int begin, int end, const char *name);

/* Only inputs for which the condition holds are looked at from here on. */
void symex_assume(symex_bool condition);

/* Some input should get here with the condition holding. Where none does, the program tests nothing (`vacuous`). */
void symex_cover(symex_bool condition, const char *name);

#ifdef __cplusplus
}
#endif

#endif
