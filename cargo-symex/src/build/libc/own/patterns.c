/* fnmatch by musl, where glibc gives the same answer. */
#include <fnmatch.h>
#include <string.h>
#include "symex_own.h"

/* musl's. */
int musl_fnmatch(const char *, const char *, int);

/*
 * Is a slash escaped, or is there a bracket that does not end, or in which a slash, a backslash, another bracket that is no
 * class, or a range of letters of any case stands?
 */
static int is_doubtful(const char *pattern, int flags)
{
    for (; *pattern; ++pattern) {
        if ((unsigned char)*pattern >= 128) return 1;
        if (*pattern == '\\' && pattern[1]) {
            if (*++pattern == '/') return 1;
            continue;
        }
        if (*pattern != '[') continue;
        ++pattern;
        if (*pattern == '!' || *pattern == '^') ++pattern;
        if (*pattern == ']') ++pattern;
        for (; *pattern != ']'; ++pattern) {
            if (!*pattern || *pattern == '/' || *pattern == '\\' || (unsigned char)*pattern >= 128) return 1;
            if (*pattern == '-' && flags & FNM_CASEFOLD) return 1;
            if (*pattern == '[') {
                const char *end = pattern[1] == ':' ? strstr(pattern + 2, ":]") : 0;
                if (!end) return 1;
                pattern = end + 1;
            }
        }
    }
    return 0;
}

int fnmatch(const char *pattern, const char *text, int flags)
{
    int known = FNM_PATHNAME | FNM_NOESCAPE | FNM_PERIOD | FNM_LEADING_DIR | FNM_CASEFOLD;
    if (flags & ~known) __symex_libc_gap("a flag of fnmatch that is not known");
    if (flags & FNM_PERIOD && strstr(pattern, "\\."))
        __symex_libc_gap("fnmatch where a period is escaped and must be matched as such");
    if (is_doubtful(pattern, flags)) __symex_libc_gap("a pattern of fnmatch with an unusual bracket, or not in ASCII");
    for (const char *at = text; *at; ++at)
        if ((unsigned char)*at >= 128) __symex_libc_gap("fnmatch of a text not in ASCII");
    return musl_fnmatch(pattern, text, flags);
}
