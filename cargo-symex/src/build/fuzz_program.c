// What AFL and honggfuzz define for a program that asks for its input: the contents of a file, once.
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const uint8_t *__afl_fuzz_ptr;
const uint32_t *__afl_fuzz_len;

static uint32_t length;
static int taken;

__attribute__((constructor)) static void read_input(void) {
    const char *name = getenv(VARIABLE);
    int file = name ? open(name, O_RDONLY) : -1;
    off_t size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
    // Of exactly that size, so that accesses behind it can be seen.
    uint8_t *data = size < 0 ? NULL : malloc(size);
    if (!data || pread(file, data, size, 0) != size) {
        fputs("symex: the file with the input cannot be read\n", stderr);
        _exit(UNREADABLE);
    }
    unsetenv(VARIABLE);
    length = size;
    __afl_fuzz_ptr = data;
    __afl_fuzz_len = &length;
    // Programs that do not know AFL's variables read it.
    lseek(file, 0, SEEK_SET);
    dup2(file, 0);
    close(file);
}

void __afl_manual_init(void) {}

int __afl_persistent_loop(unsigned int count) {
    (void)count;
    return !taken++;
}

void HF_ITER(const uint8_t **data, size_t *size) {
    if (taken++)
        _exit(0);
    *data = __afl_fuzz_ptr;
    *size = length;
}
