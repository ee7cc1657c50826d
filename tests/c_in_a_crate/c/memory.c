#include <stdlib.h>
#include <string.h>

unsigned char largest(const unsigned char *bytes, size_t length) {
    unsigned char largest = 0;
    for (size_t i = 0; i < length; ++i) {
        if (bytes[i] > largest) {
            largest = bytes[i];
        }
    }
    return largest;
}

void copy(unsigned char *to, const unsigned char *from, size_t length) {
    memcpy(to, from, length);
}

struct text {
    unsigned char *bytes;
    size_t length;
};

struct text *text_new(const unsigned char *bytes, size_t length) {
    struct text *text = malloc(sizeof *text);
    if (!text) abort();
    text->bytes = malloc(length + 1);
    if (!text->bytes) abort();
    memcpy(text->bytes, bytes, length);
    text->bytes[length] = 0;
    text->length = length;
    return text;
}

unsigned char text_first(const struct text *text) {
    return text->bytes[0];
}

/* What is empty gives its bytes away at once. */
void text_cut(struct text *text, size_t length) {
    text->length = length;
    text->bytes[length] = 0;
    if (length == 0) {
        free(text->bytes);
    }
}

void text_free(struct text *text) {
    free(text->bytes);
    free(text);
}

int scaled(int value, unsigned by) {
    return value << by;
}

int next(int value) {
    return value + 1;
}
