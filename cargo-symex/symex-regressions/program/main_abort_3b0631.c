/*
 * abort: the program aborts at /tmp/.tmpGHjVoB/program.c:8 (killed by SIGABRT)
 * Run where `cargo symex` was, which is not needed for it:
 * clang-22 -g -O0 -fno-strict-aliasing -fsanitize=undefined -fsanitize-trap=undefined -fno-sanitize=alignment,null,object-size,pointer-overflow,vptr,function -isystem symex-regressions/program symex-regressions/program/main_abort_3b0631.c /tmp/.tmpGHjVoB/program.c -lm -o /tmp/main_abort_3b0631 && /tmp/main_abort_3b0631
 */
#ifdef __clang__
#pragma clang diagnostic ignored "-Weverything"
#endif
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* bits: 11 bytes, "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x07" */
static const unsigned char symex_input_0[] = {0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07};

static const struct symex_input {
    unsigned long size;
    const unsigned char *bytes;
} symex_inputs[] = {
    {11, symex_input_0},
    {0, 0}
};

#ifdef __cplusplus
extern "C" {
#endif

static unsigned long symex_at;

/* Takes the next input. Where it is too short, the rest is zero; so is all that follows the last input. */
static void symex_next(void *to, unsigned long size) {
    unsigned char *byte = (unsigned char *)to;
    const unsigned char *from = 0;
    unsigned long most = 0, i;
    if (symex_at < sizeof symex_inputs / sizeof symex_inputs[0]) {
        from = symex_inputs[symex_at].bytes;
        most = symex_inputs[symex_at].size;
        symex_at++;
    }
    for (i = 0; i < size; i++) {
        byte[i] = (unsigned char)(i < most ? from[i] : 0);
    }
}

static void symex_leave(const char *why, const char *what, int code) {
    fflush(stdout);
    fprintf(stderr, "symex: %s%s\n", why, what);
    _exit(code);
}

static void symex_must(int holds) {
    if (!holds) {
        symex_leave("an assumption does not hold", "", 86);
    }
}

void symex_make_symbolic(void *at, size_t size, const char *name) {
    (void)name;
    symex_next(at, size);
}

#ifdef __cplusplus
}
#endif
