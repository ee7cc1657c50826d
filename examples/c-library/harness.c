#include "percent.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <symex.h>

/* Any text of up to four characters. It is on the heap, in an object of just its length, so that no byte behind it counts. */
int decodes(void)
{
    unsigned char out[4];
    size_t length = (size_t)symex_range(1, 5, "length");
    char *text = malloc(length);

    symex_make_symbolic(text, length, "text");
    percent_decode(text, length, out, sizeof out);
    free(text);
    return 0;
}

/* What is encoded is decoded to the same. */
int round_trip(void)
{
    unsigned char bytes[3], back[3];
    char text[9];
    long length;

    symex_make_symbolic(bytes, sizeof bytes, "bytes");
    length = percent_encode(bytes, sizeof bytes, text, sizeof text);
    symex_cover(length == 9, "all bytes are encoded");
    assert(length >= 3);
    assert(percent_decode(text, (size_t)length, back, sizeof back) == 3);
    assert(memcmp(bytes, back, sizeof bytes) == 0);
    return 0;
}
