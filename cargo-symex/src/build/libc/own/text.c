/* Where glibc takes text apart, or puts it together, in another way than musl does. */
#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* GNU's, which changes nothing; that of POSIX is `__xpg_basename`. */
char *basename(const char *path)
{
    char *slash = strrchr(path, '/');
    return slash ? slash + 1 : (char *)path;
}

/* That of POSIX, which cuts slashes off the end. */
char *__xpg_basename(char *path)
{
    if (!path || !*path) return ".";
    char *slash = strrchr(path, '/');
    if (!slash) return path;
    if (slash[1]) return slash + 1;
    while (slash > path && slash[-1] == '/') --slash;
    if (slash == path) {
        while (slash[1]) ++slash;
        return slash;
    }
    *slash-- = 0;
    while (slash > path && slash[-1] != '/') --slash;
    return slash;
}

/* Where the slashes begin that end before a place. */
static char *first_of_slashes(char *path, char *last)
{
    while (last > path && last[-1] == '/') --last;
    return last;
}

char *dirname(char *path)
{
    char *slash = path ? strrchr(path, '/') : 0;
    if (slash && slash > path && !slash[1]) {
        char *first = first_of_slashes(path, slash);
        if (first > path) slash = memrchr(path, '/', first - path);
    }
    if (!slash) return ".";
    char *end = first_of_slashes(path, slash);
    /* Two slashes at the beginning stay two. */
    if (end == path) end = slash == path + 1 ? path + 2 : path + 1;
    *end = 0;
    return path;
}

char *strcasestr(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (;; ++text) {
        if (!strncasecmp(text, part, length)) return (char *)text;
        if (!*text) return 0;
    }
}

/* What a character is to strverscmp: 0 for no digit, 1 for a digit, 2 for a zero. */
static int digit_kind(unsigned char c)
{
    return (c == '0') + (c >= '0' && c <= '9');
}

/*
 * Compares as GNU's does: where two texts differ within or behind digits, the longer number is the greater one, unless it is
 * a fraction, that is, begins with zeros.
 */
int strverscmp(const char *a, const char *b)
{
    enum { NORMAL, INTEGER, FRACTION, ZEROS } state = NORMAL;
    static const unsigned char next[4][3] = {
        {NORMAL, INTEGER, ZEROS}, {NORMAL, INTEGER, INTEGER}, {NORMAL, FRACTION, FRACTION}, {NORMAL, FRACTION, ZEROS}};
    enum { BY_BYTE = 2, BY_LENGTH = 3 };
    static const signed char result[4][3][3] = {
        {{2, 2, 2}, {2, 3, 2}, {2, 2, 2}}, {{2, -1, -1}, {1, 3, 3}, {1, 3, 3}},
        {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}, {{2, 1, 1}, {-1, 2, 2}, {-1, 2, 2}}};
    for (; *a == *b; ++a, ++b) {
        if (!*a) return 0;
        state = next[state][digit_kind(*a)];
    }
    int difference = (unsigned char)*a - (unsigned char)*b;
    int how = result[state][digit_kind(*a)][digit_kind(*b)];
    if (how == BY_BYTE) return difference;
    if (how != BY_LENGTH) return how;
    do {
        ++a, ++b;
        if (!digit_kind(*a)) return digit_kind(*b) ? -1 : difference;
    } while (digit_kind(*b));
    return 1;
}

static int digit64(unsigned char c)
{
    if (c >= '.' && c <= '9') return c - '.';
    if (c >= 'A' && c <= 'Z') return c - 'A' + 12;
    return c >= 'a' && c <= 'z' ? c - 'a' + 38 : -1;
}

/* Of up to six digits, 32 bits of them, without a sign. */
long a64l(const char *text)
{
    unsigned long value = 0;
    for (int i = 0, digit; i < 6 && (digit = digit64(text[i])) >= 0; ++i) value |= (unsigned long)digit << 6 * i;
    return (long)(value & 0xffffffff);
}

/* The value of what is in no list is all of it. */
int getsubopt(char **option, char *const *names, char **value)
{
    char *start = *option;
    *value = 0;
    if (!*start) return -1;
    char *end = strchrnul(start, ',');
    char *equals = memchr(start, '=', end - start);
    size_t length = (equals ? equals : end) - start;
    int found = -1;
    for (int i = 0; names[i]; ++i) {
        if (!strncmp(start, names[i], length) && !names[i][length]) {
            found = i;
            break;
        }
    }
    *value = found < 0 ? start : equals ? equals + 1 : 0;
    if (*end) *end++ = 0;
    *option = end;
    return found;
}

/* Nothing is written where the text is no address. */
static int read_ipv4(const char *text, unsigned char *to)
{
    unsigned char bytes[4];
    for (int i = 0; i < 4; ++i) {
        if (!isdigit((unsigned char)*text)) return 0;
        unsigned part = *text++ - '0';
        for (int zero = !part; isdigit((unsigned char)*text); ++text) {
            part = 10 * part + *text - '0';
            if (zero || part > 255) return 0;
        }
        bytes[i] = part;
        if (*text++ != (i < 3 ? '.' : 0)) return 0;
    }
    memcpy(to, bytes, 4);
    return 1;
}

static int read_ipv6(const char *text, unsigned char *to)
{
    unsigned char bytes[16] = {0};
    int length = 0, gap = -1, digits = 0;
    unsigned word = 0;
    if (*text == ':' && *++text != ':') return 0;
    for (const char *start = text; *text;) {
        char c = *text++;
        if (isxdigit((unsigned char)c)) {
            if (digits == 4) return 0;
            word = word << 4 | (isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10);
            ++digits;
            continue;
        }
        if (c == ':') {
            start = text;
            if (!digits) {
                if (gap >= 0) return 0;
                gap = length;
                continue;
            }
            if (!*text || length + 2 > 16) return 0;
            bytes[length++] = word >> 8;
            bytes[length++] = word;
            digits = word = 0;
            continue;
        }
        if (c == '.' && length + 4 <= 16 && read_ipv4(start, bytes + length)) {
            length += 4;
            digits = 0;
            break;
        }
        return 0;
    }
    if (digits) {
        if (length + 2 > 16) return 0;
        bytes[length++] = word >> 8;
        bytes[length++] = word;
    }
    if (gap >= 0) {
        if (length == 16) return 0;
        int behind = length - gap;
        memmove(bytes + 16 - behind, bytes + gap, behind);
        memset(bytes + gap, 0, 16 - length);
        length = 16;
    }
    if (length != 16) return 0;
    memcpy(to, bytes, 16);
    return 1;
}

int inet_pton(int family, const char *restrict text, void *restrict to)
{
    if (family == AF_INET) return read_ipv4(text, to);
    if (family == AF_INET6) return read_ipv6(text, to);
    errno = EAFNOSUPPORT;
    return -1;
}

/* White space, and then anything, may follow. */
int inet_aton(const char *text, struct in_addr *to)
{
    static const uint32_t most[4] = {0xffffffff, 0xffffff, 0xffff, 0xff};
    uint32_t before = 0;
    int parts = 0;
    for (;; ++parts) {
        if (!isdigit((unsigned char)*text)) return 0;
        char *end;
        unsigned long part = strtoul(text, &end, 0);
        if (end == text || part > 0xffffffff) return 0;
        text = end;
        if (*text == '.') {
            if (parts == 3 || part > 0xff) return 0;
            before |= (uint32_t)part << (24 - 8 * parts);
            ++text;
            continue;
        }
        unsigned char c = *text;
        if (c && (c >= 128 || !isspace(c))) return 0;
        if (part > most[parts]) return 0;
        if (to) to->s_addr = htonl(before | (uint32_t)part);
        return 1;
    }
}

in_addr_t inet_addr(const char *text)
{
    struct in_addr address;
    return inet_aton(text, &address) ? address.s_addr : (in_addr_t)-1;
}

struct in_addr inet_makeaddr(in_addr_t network, in_addr_t host)
{
    uint32_t address;
    if (network < 128) address = network << 24 | (host & 0xffffff);
    else if (network < 65536) address = network << 16 | (host & 0xffff);
    else if (network < 16777216) address = network << 8 | (host & 0xff);
    else address = network | host;
    return (struct in_addr){htonl(address)};
}

in_addr_t inet_lnaof(struct in_addr address)
{
    uint32_t a = ntohl(address.s_addr);
    return (a & 0x80000000) == 0 ? a & 0xffffff : (a & 0xc0000000) == 0x80000000 ? a & 0xffff : a & 0xff;
}

in_addr_t inet_netof(struct in_addr address)
{
    uint32_t a = ntohl(address.s_addr);
    return (a & 0x80000000) == 0 ? a >> 24 : (a & 0xc0000000) == 0x80000000 ? a >> 16 : a >> 8;
}

/* The first of the longest runs of two or more zeros is left out; what follows six of them may be an IPv4 address. */
static int print_ipv6(const unsigned char *a, char *to)
{
    unsigned words[8];
    int best = -1, longest = 1;
    for (int i = 0; i < 8; ++i) words[i] = a[2 * i] << 8 | a[2 * i + 1];
    for (int i = 0, run; i < 8; i += run + 1) {
        for (run = 0; i + run < 8 && !words[i + run];) ++run;
        if (run > longest) longest = run, best = i;
    }
    char *at = to;
    for (int i = 0; i < 8; ++i) {
        if (best >= 0 && i >= best && i < best + longest) {
            if (i == best) *at++ = ':';
            continue;
        }
        if (i) *at++ = ':';
        if (i == 6 && best == 0 && (longest == 6 || (longest == 5 && words[5] == 0xffff)))
            return at + sprintf(at, "%u.%u.%u.%u", a[12], a[13], a[14], a[15]) - to;
        at += sprintf(at, "%x", words[i]);
    }
    if (best >= 0 && best + longest == 8) *at++ = ':';
    *at = 0;
    return at - to;
}

const char *inet_ntop(int family, const void *restrict address, char *restrict to, socklen_t size)
{
    const unsigned char *a = address;
    char text[INET6_ADDRSTRLEN + 16];
    int length;
    if (family == AF_INET) {
        length = sprintf(text, "%u.%u.%u.%u", a[0], a[1], a[2], a[3]);
    } else if (family == AF_INET6) {
        length = print_ipv6(a, text);
    } else {
        errno = EAFNOSUPPORT;
        return 0;
    }
    if ((socklen_t)length + 1 > size) {
        errno = ENOSPC;
        return 0;
    }
    return strcpy(to, text);
}

char *inet_ntoa(struct in_addr address)
{
    static char text[INET_ADDRSTRLEN];
    return (char *)inet_ntop(AF_INET, &address, text, sizeof text);
}

int rand_r(unsigned *seed)
{
    unsigned next = *seed, result = 0;
    for (int i = 0; i < 3; ++i) {
        static const unsigned bits[3] = {2048, 1024, 1024};
        next = next * 1103515245 + 12345;
        unsigned part = next / 65536 % bits[i];
        result = i ? result << 10 ^ part : part;
    }
    *seed = next;
    return (int)result;
}

/* As glibc's, six digits with the least significant first; nothing for 0. */
char *l64a(long number)
{
    static const char digits[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static char text[7];
    char *at = text;
    for (uint32_t rest = (uint32_t)number; rest; rest >>= 6) *at++ = digits[rest & 63];
    *at = 0;
    return text;
}
