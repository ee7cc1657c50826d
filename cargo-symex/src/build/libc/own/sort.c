/*
 * Sorting and searching with the comparisons that glibc makes, in its order: what a comparison sees, and where equal
 * elements end up, is then what a native run shows. musl's heap sort is not stable, glibc's merge sort is.
 */
#include <stdlib.h>
#include <string.h>

typedef int (*comparison)(const void *, const void *, void *);

static void sort(char *base, size_t count, size_t size, comparison compare, void *context, char *scratch)
{
    if (count <= 1) return;
    size_t left = count / 2, right = count - left;
    char *a = base, *b = base + left * size, *to = scratch;
    sort(a, left, size, compare, context, scratch);
    sort(b, right, size, compare, context, scratch);
    while (left > 0 && right > 0) {
        if (compare(a, b, context) <= 0) {
            memcpy(to, a, size);
            a += size;
            --left;
        } else {
            memcpy(to, b, size);
            b += size;
            --right;
        }
        to += size;
    }
    if (left > 0) memcpy(to, a, left * size);
    memcpy(base, scratch, (count - right) * size);
}

void qsort_r(void *base, size_t count, size_t size, comparison compare, void *context)
{
    if (count <= 1 || size == 0) return;
    char *scratch = malloc(count * size);
    sort(base, count, size, compare, context, scratch);
    free(scratch);
}

static int without_context(const void *a, const void *b, void *compare)
{
    return ((int (*)(const void *, const void *))compare)(a, b);
}

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    qsort_r(base, count, size, without_context, (void *)compare);
}

void *bsearch(const void *key, const void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        const char *at = (const char *)base + middle * size;
        int order = compare(key, at);
        if (order == 0) return (void *)at;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 0;
}
