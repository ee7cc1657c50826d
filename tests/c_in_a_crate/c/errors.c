/* What goes wrong in C, called through Rust and back. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void (*each)(void *context, const uint8_t *at);

static void walk(const uint8_t *text, size_t length, each f, void *context) {
    for (size_t i = 0; i < length; ++i)
        f(context, text + i);
}

void split(const uint8_t *text, size_t length, each f, void *context) {
    walk(text, length, f, context);
}

static const uint8_t weights[3] = {1, 10, 100};

uint8_t weigh(const uint8_t *at) {
    unsigned index = *at & 3;
    return weights[index];
}

int divide(int a, int b) {
    return a / b;
}
