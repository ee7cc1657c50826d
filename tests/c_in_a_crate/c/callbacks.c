/* Functions that the other side calls. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef uint32_t (*visitor)(void *context, uint32_t item);

/* Calls a visitor for each item until one of them answers other than 0. */
uint32_t visit(const uint32_t *items, size_t count, visitor f, void *context) {
    for (size_t i = 0; i < count; ++i) {
        uint32_t answer = f(context, items[i]);
        if (answer) return answer;
    }
    return 0;
}

static int32_t plus(int32_t a, int32_t b) { return (int32_t)((uint32_t)a + (uint32_t)b); }
static int32_t minus(int32_t a, int32_t b) { return (int32_t)((uint32_t)a - (uint32_t)b); }

typedef int32_t (*operation)(int32_t, int32_t);

/* Null where there is no such operation. */
operation operation_of(char sign) {
    switch (sign) {
    case '+': return plus;
    case '-': return minus;
    default: return NULL;
    }
}

struct operations { operation plus, minus; int32_t (*own)(const struct operations *, int32_t); };

int32_t operations_run(const struct operations *o, int32_t x) {
    return o->minus(o->plus(x, 1), 1) + o->own(o, 0);
}

/* Sorts, and says how often it compared. */
void sort(uint16_t *items, size_t count, int (*compare)(const void *, const void *)) {
    qsort(items, count, sizeof *items, compare);
}

/* Callbacks that take and give structures. */
struct range { uint32_t first; uint32_t last; };
struct large { uint64_t words[4]; };

struct range widen(struct range r, struct range (*f)(struct range, void *), void *context) {
    return f(f(r, context), context);
}

struct large enlarge(struct large l, struct large (*f)(struct large)) { return f(l); }

/* Keeps a callback for later. */
static visitor kept;
static void *kept_context;

void keep(visitor f, void *context) {
    kept = f;
    kept_context = context;
}

uint32_t call_kept(uint32_t item) { return kept(kept_context, item); }

/* Wrong: a second call, after the context has gone. */
uint32_t visit_later(void) {
    void *context = malloc(4);
    *(uint32_t *)context = 7;
    keep(kept, context);
    free(context);
    return call_kept(1);
}
