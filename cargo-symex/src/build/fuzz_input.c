// Reads the input of a fuzz target from a file, for the drivers of native runs.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// Returns the contents in memory of exactly that size, so that accesses behind it can be seen; ends
// the process where there is no such file.
static uint8_t *read_input(const char *name, size_t *size) {
    FILE *file = name ? fopen(name, "rb") : NULL;
    long end = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    uint8_t *data = end < 0 ? NULL : malloc(end);
    if (file)
        rewind(file);
    if (end < 0 || (end && (!data || fread(data, 1, end, file) != (size_t)end))) {
        fputs("symex: the file with the input cannot be read\n", stderr);
        _exit(UNREADABLE);
    }
    fclose(file);
    *size = end;
    return data;
}
