// Calls a fuzz target once, with the contents of a file.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv);

static int unreadable(void) {
    fputs("symex: the file with the input cannot be read\n", stderr);
    return UNREADABLE;
}

int main(int argc, char **argv) {
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return unreadable();
    long size = ftell(file);
    // Of exactly that size, so that accesses behind it can be seen.
    uint8_t *data = size < 0 ? NULL : malloc(size);
    rewind(file);
    if (size < 0 || (size && (!data || fread(data, 1, size, file) != (size_t)size)))
        return unreadable();
    fclose(file);
    if (LLVMFuzzerInitialize)
        LLVMFuzzerInitialize(&argc, &argv);
    if (LLVMFuzzerTestOneInput(data, size) == -1) {
        fputs("symex: an assumption does not hold\n", stderr);
        exit(REJECTED);
    }
    return 0;
}
