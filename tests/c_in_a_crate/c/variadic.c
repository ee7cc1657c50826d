/* Functions with variable arguments. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Adds what the letters of the format say: i (int), l (long), d (double), s (length of a string), p (what it points to). */
int64_t total(const char *format, ...) {
    va_list list;
    va_start(list, format);
    int64_t sum = 0;
    for (const char *f = format; *f; ++f) {
        switch (*f) {
        case 'i': sum += va_arg(list, int); break;
        case 'l': sum += va_arg(list, int64_t); break;
        case 'd': sum += va_arg(list, double) < 0 ? -1000 : 1000; break;
        case 's': sum += (int64_t)strlen(va_arg(list, const char *)); break;
        case 'p': sum += *va_arg(list, const uint16_t *); break;
        }
    }
    va_end(list);
    return sum;
}

struct three_words { uint64_t words[3]; };
struct half_float { uint32_t n; float x; };
struct two_floats { double x, y; };

/* Structures among variable arguments: in registers, split, and in memory. */
uint64_t structures(int count, ...) {
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    uint64_t sum = 0;
    for (int i = 0; i < count; ++i) {
        struct half_float h = va_arg(list, struct half_float);
        struct two_floats f = va_arg(list, struct two_floats);
        struct three_words t = va_arg(list, struct three_words);
        sum = sum * 31 + h.n + (h.x < 0) + 2 * (f.x < f.y) + t.words[0] + t.words[2];
    }
    va_end(list);
    struct half_float first = va_arg(copy, struct half_float);
    va_end(copy);
    return sum ^ first.n;
}

static int write_with(char *to, size_t size, const char *format, va_list list) {
    return vsnprintf(to, size, format, list);
}

int write_text(char *to, size_t size, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int length = write_with(to, size, format, list);
    va_end(list);
    return length;
}

/* Wrong where it is told of more than there are. */
int sum_of(int count, ...) {
    va_list list;
    va_start(list, count);
    unsigned sum = 0;
    for (int i = 0; i < count; ++i) sum += va_arg(list, unsigned);
    va_end(list);
    return (int)(sum & 0xff);
}
