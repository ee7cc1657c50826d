/* Prints what many functions of the C library say of known values: the engine must print what a native run prints. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <complex.h>
#include <errno.h>
#include <fnmatch.h>
#include <libgen.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#include <wctype.h>

static int by_number(const void *a, const void *b) { return *(const int *)a / 10 - *(const int *)b / 10; }
static int by_number_r(const void *a, const void *b, void *calls) { ++*(int *)calls; return by_number(a, b); }
static int by_text(const void *a, const void *b) { return strcmp(a, b); }
static void visit(const void *node, VISIT when, int level) {
    if (when == postorder || when == leaf) printf("%s ", *(char *const *)node);
}
static void numbers(void) {
    int some[] = {31, 12, 58, 11, 19, 90, 33, 55, 30, 10}, calls = 0, key = 57;
    qsort_r(some, 10, sizeof *some, by_number_r, &calls);
    for (int i = 0; i < 10; ++i) printf("%d ", some[i]);
    int *found = bsearch(&key, some, 10, sizeof *some, by_number);
    printf("%d calls, %d at %d\n", calls, *found, (int)(found - some));
    size_t count = 9;
    key = 77;
    printf("%d ", lfind(&key, some, &count, sizeof *some, by_number) == 0);
    lsearch(&key, some, &count, sizeof *some, by_number);
    printf("%zu %d\n", count, some[9]);
    srand48(42);
    printf("%.17g %ld %ld %ld ", drand48(), lrand48(), mrand48(), (long)(a64l("zz1") % 1000));
    unsigned seed = 7;
    int first = rand_r(&seed);
    printf("%d %d %s\n", first, rand_r(&seed), l64a(123456));
}
static void trees(void) {
    void *root = 0;
    char *words[] = {"pear", "fig", "apple", "kiwi", "plum", "fig"};
    for (int i = 0; i < 6; ++i) {
        char **at = tsearch(words[i], &root, by_text);
        if (*at != words[i]) printf("again %s: ", *at);
    }
    tdelete("kiwi", &root, by_text);
    twalk(root, visit);
    printf("%d\n", tfind("kiwi", &root, by_text) == 0);
    hcreate(5);
    for (int i = 0; i < 7; ++i) {
        char *key = strdup("k?");
        key[1] = '0' + i;
        ENTRY *entered = hsearch((ENTRY){key, key + i % 2}, ENTER);
        printf("%s ", entered ? (char *)entered->data : errno == ENOMEM ? "full" : "?");
    }
    printf("%d\n", hsearch((ENTRY){"none", 0}, FIND) == 0);
}
static void texts(void) {
    char path[] = "/usr//lib/", other[] = "/usr//lib/";
    printf("%s %s ", dirname(path), __xpg_basename(other));
    printf("%s %d %d\n", strcasestr("Hello World", "wOR"), strverscmp("a1.10", "a1.9"), strverscmp("a01", "a1") < 0);
    printf("%d %d %d %d\n", fnmatch("*.[ch]", "main.c", 0), fnmatch("*", "a/b", FNM_PATHNAME),
           fnmatch("[[:upper:]]?", "Ab", 0), fnmatch("A*", "abc", FNM_CASEFOLD));
    char options[] = "size=3,ro,what", *at = options, *value;
    char *const names[] = {"ro", "size", 0};
    for (int i = 0; *at; ++i) {
        int which = getsubopt(&at, names, &value);
        printf("%d:%s ", which, value ? value : "-");
    }
    unsigned char address[16];
    char shown[64];
    printf("\n%d %s ", inet_pton(AF_INET6, "2001:db8::1:0:0:7", address), inet_ntop(AF_INET6, address, shown, 64));
    printf("%d %d ", inet_pton(AF_INET, "1.2.3.256", address), inet_pton(AF_INET6, "::ffff:1.2.3.4", address));
    struct in_addr in;
    printf("%s %d %s\n", inet_ntop(AF_INET6, address, shown, 64), inet_aton("0x7f.1 x", &in), inet_ntoa(in));
}
static void wide(void) {
    wchar_t text[32] = L"  -12xyz", *end;
    printf("%ld ", wcstol(text, &end, 10));
    printf("%ls %g %lu ", end, wcstod(L"1.5e3", 0), wcstoul(L"ff", 0, 16));
    printf("%d %d %d ", wcsncmp(L"abc", L"abd", 2), wcscasecmp(L"aBc", L"AbC"), (int)wcsspn(L"aab", L"a"));
    wcscpy(text, L"one two");
    wchar_t *rest, *word = wcstok(text, L" ", &rest);
    char narrow[16];
    printf("%d %ls %d%d%d ", (int)wcstombs(narrow, word, 16), rest, iswalpha(L'x') != 0, iswalpha(0xe9) != 0, towupper(L'x') == L'X');
    printf("%d %d %d\n", mbtowc(text, "\xe9", 1), (int)mbstowcs(text, "abc", 32), wcwidth(7));
}
static void dates(void) {
    struct tm date = {0};
    char text[100];
    const char *rest = strptime("2024-02-29 13:14:15", "%Y-%m-%d %H:%M:%S", &date);
    printf("%d %d %d ", *rest, date.tm_wday, date.tm_yday);
    time_t seconds = timegm(&date);
    printf("%ld ", (long)seconds);
    strftime(text, 100, "%a %d %b %Y %I:%M%p %j %U %V %G %y %e|%F %T|%c|%Z%z", gmtime(&seconds));
    printf("%s ", text);
    seconds += 86400 * 400;
    fputs(asctime(gmtime(&seconds)), stdout);
    printf("%d %g\n", (int)strftime(text, 5, "%Y-%m", gmtime(&seconds)), difftime(seconds, 0));
}
static void complexes(void) {
    double complex z = 3 + 4 * I;
    printf("%.10g %.10g %.10g%+.10gi ", cabs(z), carg(z), creal(csqrt(z)), cimag(csqrt(z)));
    z = z * (1 - 2 * I);
    printf("%.10g%+.10gi %.10g ", creal(z), cimag(z), creal(cexp(z / 10.0)));
    printf("%g %.10g %.10g %.10g\n", drem(10.5, 3), j0(1.5), y1(2.5), jn(3, 1.5));
    printf("%.10g %.10g %.10g %.10g\n", tgamma(4.5), lgamma(10.25), erf(0.5), cbrt(27.0));
}
int main(void) {
    numbers();
    trees();
    texts();
    wide();
    dates();
    complexes();
    return 0;
}
