/*
 * Numbers from wide text. The characters that a number can be made of are narrow ones; they are handed to the function on
 * narrow text, which knows the rest. musl reads them by way of a stream of its own.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <wchar.h>
#include <wctype.h>

/* The narrow form of what a number may be made of, after white space and a sign; the caller frees it. */
static char *narrow(const wchar_t *text, int is_float)
{
    size_t length = 0;
    while (iswspace(text[length])) ++length;
    if (text[length] == '+' || text[length] == '-') ++length;
    while (iswalnum(text[length]) || (is_float && text[length] && wcschr(L".+-_()", text[length]))) ++length;
    char *copy = malloc(length + 1);
    for (size_t i = 0; i < length; ++i) copy[i] = (char)text[i];
    copy[length] = 0;
    return copy;
}

#define NUMBER(name, type, is_float, parameters, call)                                                                      \
    type name parameters                                                                                             \
    {                                                                                                                \
        char *copy = narrow(text, is_float), *stop;                                                                      \
        type value = call;                                                                                           \
        if (end) *end = (wchar_t *)text + (stop - copy);                                                             \
        free(copy);                                                                                                  \
        return value;                                                                                                \
    }
#define WITH_BASE (const wchar_t *restrict text, wchar_t **restrict end, int base)
#define WITHOUT (const wchar_t *restrict text, wchar_t **restrict end)

NUMBER(wcstol, long, 0, WITH_BASE, strtol(copy, &stop, base))
NUMBER(wcstoul, unsigned long, 0, WITH_BASE, strtoul(copy, &stop, base))
NUMBER(wcstoll, long long, 0, WITH_BASE, strtoll(copy, &stop, base))
NUMBER(wcstoull, unsigned long long, 0, WITH_BASE, strtoull(copy, &stop, base))
NUMBER(wcstoimax, intmax_t, 0, WITH_BASE, strtoimax(copy, &stop, base))
NUMBER(wcstoumax, uintmax_t, 0, WITH_BASE, strtoumax(copy, &stop, base))
NUMBER(wcstod, double, 1, WITHOUT, strtod(copy, &stop))
NUMBER(wcstof, float, 1, WITHOUT, strtof(copy, &stop))

/* The names that headers of newer C libraries give them. */
long __isoc23_wcstol WITH_BASE { return wcstol(text, end, base); }
unsigned long __isoc23_wcstoul WITH_BASE { return wcstoul(text, end, base); }
long long __isoc23_wcstoll WITH_BASE { return wcstoll(text, end, base); }
unsigned long long __isoc23_wcstoull WITH_BASE { return wcstoull(text, end, base); }
