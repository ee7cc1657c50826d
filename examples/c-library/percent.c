#include "percent.h"

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

long percent_decode(const char *text, size_t length, unsigned char *out, size_t room)
{
    size_t written = 0;

    for (size_t i = 0; i < length; i++) {
        int byte = (unsigned char)text[i];
        if (byte == '%') {
            int high, low;
            if (i + 1 >= length)
                return -1;
            high = digit(text[i + 1]);
            low = digit(text[i + 2]);
            if (high < 0 || low < 0)
                return -1;
            byte = high << 4 | low;
            i += 2;
        }
        if (written == room)
            return -1;
        out[written++] = (unsigned char)byte;
    }
    return (long)written;
}

static int is_unreserved(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
        || c == '-' || c == '.' || c == '_' || c == '~';
}

long percent_encode(const unsigned char *bytes, size_t length, char *out, size_t room)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t written = 0;

    for (size_t i = 0; i < length; i++) {
        int plain = is_unreserved(bytes[i]);
        if (room - written < (plain ? 1 : 3))
            return -1;
        if (plain) {
            out[written++] = (char)bytes[i];
        } else {
            out[written++] = '%';
            out[written++] = digits[bytes[i] >> 4];
            out[written++] = digits[bytes[i] & 15];
        }
    }
    return (long)written;
}
