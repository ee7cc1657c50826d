/* Ways of control and of the stack that Rust does not have. */
#include <alloca.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Jumps out of nested calls. */
static jmp_buf out;

static void parse_digit(uint8_t c) {
    if (c < '0' || c > '9') longjmp(out, 2);
}

static void parse_all(const uint8_t *text, size_t length) {
    for (size_t i = 0; i < length; ++i) {
        if (text[i] == '!') longjmp(out, 0);
        parse_digit(text[i]);
    }
}

/* 0: digits only; 1: a '!'; 2: something else. */
int parse(const uint8_t *text, size_t length) {
    int code = setjmp(out);
    if (code) return code;
    parse_all(text, length);
    return 0;
}

/* Wrong: to where the function has returned from. */
static int __attribute__((noinline)) mark(void) { return setjmp(out); }
static volatile int marks;
void jump_back(int twice) {
    if (mark() == 0 && twice && marks++ == 0) longjmp(out, 1);
}

/* A copy on the stack, as long as is asked for. */
int is_palindrome(const uint8_t *text, unsigned length) {
    uint8_t *copy = alloca(length + 1);
    for (unsigned i = 0; i < length; ++i) copy[i] = text[length - 1 - i];
    return memcmp(copy, text, length) == 0;
}

uint32_t table_sum(unsigned rows, unsigned columns, uint32_t value) {
    uint32_t table[rows][columns];
    uint32_t sum = 0;
    for (unsigned i = 0; i < rows; ++i)
        for (unsigned j = 0; j < columns; ++j) table[i][j] = value + i * j;
    for (unsigned i = 0; i < rows; ++i)
        for (unsigned j = 0; j < columns; ++j) sum += table[i][j];
    return sum;
}

uint32_t table_at(unsigned columns, unsigned i) {
    uint8_t table[columns];
    memset(table, 7, columns);
    return ((volatile uint8_t *)table)[i];
}

/* A machine of bytes, by computed goto: 0 ends, 1 doubles, 2 adds the next byte, 3 jumps back to the start once. */
uint32_t run(const uint8_t *code, size_t length) {
    static void *const table[] = {&&end, &&twice, &&add, &&again};
    uint32_t value = 1;
    size_t at = 0;
    int jumped = 0;
#define NEXT do { if (at >= length || code[at] > 3) return 0xffffffff; goto *table[code[at++]]; } while (0)
    NEXT;
twice:
    value *= 2;
    NEXT;
add:
    if (at >= length) return 0xfffffffe;
    value += code[at++];
    NEXT;
again:
    if (!jumped) at = 0;
    jumped = 1;
    NEXT;
end:
    return value;
}

/* The same machine without a look at the code. */
uint32_t run_unchecked(const uint8_t *code) {
    static void *const table[] = {&&end, &&twice};
    uint32_t value = 1;
    goto *table[*code++];
twice:
    value *= 2;
    goto *table[*code++];
end:
    return value;
}

/* Falls through on purpose. */
uint32_t duff(uint8_t *to, const uint8_t *from, unsigned count) {
    unsigned rounds = (count + 3) / 4;
    if (!count) return 0;
    switch (count % 4) {
    case 0: do { *to++ = *from++; /* fall through */
    case 3: *to++ = *from++; /* fall through */
    case 2: *to++ = *from++; /* fall through */
    case 1: *to++ = *from++;
            } while (--rounds);
    }
    return count;
}
