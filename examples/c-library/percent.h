/* Percent-encoding of texts, as in addresses of the web (RFC 3986, section 2.1). */
#ifndef PERCENT_H
#define PERCENT_H

#include <stddef.h>

/* Writes the bytes that `text` stands for to `out`, which has room for `room`. Returns how many they are, or -1 if a `%` is not
   followed by two hexadecimal digits, or there is no room. */
long percent_decode(const char *text, size_t length, unsigned char *out, size_t room);

/* The opposite; needs up to three characters for a byte. Returns how many were written, or -1 if there is no room. */
long percent_encode(const unsigned char *bytes, size_t length, char *out, size_t room);

#endif
