/* The hash table of search.h, which in glibc is full with as many entries as the next prime number; musl's grows. */
#include <errno.h>
/* Its declarations have another structure. */
#define hcreate_r declared_hcreate_r
#define hdestroy_r declared_hdestroy_r
#define hsearch_r declared_hsearch_r
#include <search.h>
#undef hcreate_r
#undef hdestroy_r
#undef hsearch_r
#include <stdlib.h>
#include <string.h>

/* `struct hsearch_data` as the header of glibc has it. */
struct as_in_glibc {
    struct table *table;
    unsigned size, filled;
};

/* Entries in the order in which they came: nothing that can be asked depends on another. */
struct table {
    ENTRY entries[1];
};

static int is_prime(unsigned odd)
{
    for (unsigned by = 3; by <= odd / by; by += 2)
        if (odd % by == 0) return 0;
    return 1;
}

int hcreate_r(size_t count, struct as_in_glibc *into)
{
    if (!into) {
        errno = EINVAL;
        return 0;
    }
    if (into->table) return 0;
    if (count < 3) count = 3;
    for (count |= 1;; count += 2) {
        if (count > 0xffffffff - 2) {
            errno = ENOMEM;
            return 0;
        }
        if (is_prime((unsigned)count)) break;
    }
    into->size = (unsigned)count;
    into->filled = 0;
    into->table = calloc(count + 1, sizeof(ENTRY));
    return into->table != 0;
}

void hdestroy_r(struct as_in_glibc *from)
{
    if (!from) {
        errno = EINVAL;
        return;
    }
    free(from->table);
    from->table = 0;
}

int hsearch_r(ENTRY item, ACTION action, ENTRY **found, struct as_in_glibc *in)
{
    for (unsigned i = 0; i < in->filled; ++i) {
        if (!strcmp(item.key, in->table->entries[i].key)) {
            *found = &in->table->entries[i];
            return 1;
        }
    }
    *found = 0;
    if (action != ENTER) {
        errno = ESRCH;
        return 0;
    }
    if (in->filled == in->size) {
        errno = ENOMEM;
        return 0;
    }
    *found = &in->table->entries[in->filled++];
    **found = item;
    return 1;
}

static struct as_in_glibc the_table;

int hcreate(size_t count)
{
    return hcreate_r(count, &the_table);
}

void hdestroy(void)
{
    hdestroy_r(&the_table);
}

ENTRY *hsearch(ENTRY item, ACTION action)
{
    ENTRY *found;
    hsearch_r(item, action, &found, &the_table);
    return found;
}
