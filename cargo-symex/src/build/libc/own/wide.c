/*
 * Wide and multibyte characters in the "C" locale as glibc has it: only ASCII is anything there. musl knows Unicode and
 * bytes of all values in every locale.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <wctype.h>

#define CLASS(name)                                                                                                  \
    int isw##name(wint_t c)                                                                                          \
    {                                                                                                                \
        return c < 128 && is##name((int)c) != 0;                                                                     \
    }

#undef iswdigit
CLASS(alnum) CLASS(alpha) CLASS(blank) CLASS(cntrl) CLASS(digit) CLASS(graph)
CLASS(lower) CLASS(print) CLASS(punct) CLASS(space) CLASS(upper) CLASS(xdigit)

static const struct {
    const char *name;
    int (*contains)(wint_t);
} classes[] = {
    {"alnum", iswalnum}, {"alpha", iswalpha}, {"blank", iswblank}, {"cntrl", iswcntrl},
    {"digit", iswdigit}, {"graph", iswgraph}, {"lower", iswlower}, {"print", iswprint},
    {"punct", iswpunct}, {"space", iswspace}, {"upper", iswupper}, {"xdigit", iswxdigit},
};

wctype_t wctype(const char *name)
{
    for (size_t i = 0; i < sizeof classes / sizeof *classes; ++i)
        if (!strcmp(name, classes[i].name)) return i + 1;
    return 0;
}

int iswctype(wint_t c, wctype_t class)
{
    if (class == 0 || class > sizeof classes / sizeof *classes) return 0;
    return classes[class - 1].contains(c);
}

wint_t towlower(wint_t c)
{
    return c >= 'A' && c <= 'Z' ? c + 32 : c;
}

wint_t towupper(wint_t c)
{
    return c >= 'a' && c <= 'z' ? c - 32 : c;
}

static const int to_lower = 1, to_upper = 2;

wctrans_t wctrans(const char *name)
{
    if (!strcmp(name, "tolower")) return &to_lower;
    return strcmp(name, "toupper") ? 0 : &to_upper;
}

wint_t towctrans(wint_t c, wctrans_t how)
{
    if (how == &to_lower) return towlower(c);
    return how == &to_upper ? towupper(c) : c;
}

int wcwidth(wchar_t c)
{
    if (c == 0) return 0;
    return c >= ' ' && c < 127 ? 1 : -1;
}

int wcswidth(const wchar_t *text, size_t most)
{
    int width = 0;
    for (; most && *text; ++text, --most) {
        int one = wcwidth(*text);
        if (one < 0) return -1;
        width += one;
    }
    return width;
}

size_t __ctype_get_mb_cur_max(void)
{
    return 1;
}

wint_t btowc(int c)
{
    return c >= 0 && c < 128 ? (wint_t)c : WEOF;
}

int wctob(wint_t c)
{
    return c < 128 ? (int)c : EOF;
}

int mbsinit(const mbstate_t *state)
{
    return 1;
}

size_t mbrtowc(wchar_t *restrict to, const char *restrict from, size_t most, mbstate_t *restrict state)
{
    if (!from) return 0;
    if (!most) return (size_t)-2;
    unsigned char c = *from;
    if (c >= 128) {
        errno = EILSEQ;
        return (size_t)-1;
    }
    if (to) *to = c;
    return c != 0;
}

size_t mbrlen(const char *restrict from, size_t most, mbstate_t *restrict state)
{
    return mbrtowc(0, from, most, state);
}

int mbtowc(wchar_t *restrict to, const char *restrict from, size_t most)
{
    if (!from) return 0;
    return most ? (int)mbrtowc(to, from, most, 0) : *from ? -1 : 0;
}

int mblen(const char *from, size_t most)
{
    return from && *from ? mbtowc(0, from, most) : 0;
}

size_t wcrtomb(char *restrict to, wchar_t c, mbstate_t *restrict state)
{
    if (!to) return 1;
    if ((unsigned)c >= 128) {
        errno = EILSEQ;
        return (size_t)-1;
    }
    *to = (char)c;
    return 1;
}

int wctomb(char *to, wchar_t c)
{
    return to ? (int)wcrtomb(to, c, 0) : 0;
}

size_t mbsnrtowcs(wchar_t *restrict to, const char **restrict from, size_t bytes, size_t most, mbstate_t *restrict state)
{
    const char *at = *from;
    size_t done = 0;
    for (; bytes && (!to || done < most); ++at, ++done, --bytes) {
        if ((unsigned char)*at >= 128) {
            if (to) *from = at;
            errno = EILSEQ;
            return (size_t)-1;
        }
        if (to) to[done] = *at;
        if (!*at) {
            if (to) *from = 0;
            return done;
        }
    }
    if (to) *from = at;
    return done;
}

size_t mbsrtowcs(wchar_t *restrict to, const char **restrict from, size_t most, mbstate_t *restrict state)
{
    return mbsnrtowcs(to, from, (size_t)-1, most, state);
}

size_t mbstowcs(wchar_t *restrict to, const char *restrict from, size_t most)
{
    return mbsrtowcs(to, &from, most, 0);
}

size_t wcsnrtombs(char *restrict to, const wchar_t **restrict from, size_t wide, size_t most, mbstate_t *restrict state)
{
    const wchar_t *at = *from;
    size_t done = 0;
    for (; wide && (!to || done < most); ++at, ++done, --wide) {
        if ((unsigned)*at >= 128) {
            if (to) *from = at;
            errno = EILSEQ;
            return (size_t)-1;
        }
        if (to) to[done] = (char)*at;
        if (!*at) {
            if (to) *from = 0;
            return done;
        }
    }
    if (to) *from = at;
    return done;
}

size_t wcsrtombs(char *restrict to, const wchar_t **restrict from, size_t most, mbstate_t *restrict state)
{
    return wcsnrtombs(to, from, (size_t)-1, most, state);
}

size_t wcstombs(char *restrict to, const wchar_t *restrict from, size_t most)
{
    return wcsrtombs(to, &from, most, 0);
}
