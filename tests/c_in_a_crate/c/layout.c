/* How structures lie in memory. */
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Bit-fields; Rust sees the word. */
struct flags { unsigned ready : 1; unsigned mode : 3; signed level : 5; unsigned : 0; unsigned count : 12; };

void flags_set(struct flags *f, unsigned mode, int level, unsigned count) {
    f->ready = 1;
    f->mode = mode;
    f->level = level;
    f->count = count;
}

int flags_level(const struct flags *f) { return f->level; }

struct __attribute__((packed)) entry { uint8_t kind; uint32_t size; uint16_t crc; uint64_t offset; };

uint64_t entry_sum(const struct entry *entries, size_t count) {
    uint64_t sum = 0;
    for (size_t i = 0; i < count; ++i) sum += entries[i].kind ^ entries[i].size ^ entries[i].offset ^ entries[i].crc;
    return sum;
}

struct entry entry_next(struct entry e) {
    e.offset += e.size;
    return e;
}

struct lane { alignas(32) uint8_t bytes[24]; };
struct aligned { uint8_t tag; struct lane lane; };

struct lane lane_of(struct aligned a) {
    a.lane.bytes[0] ^= a.tag;
    return a.lane;
}

int is_aligned(const struct aligned *a) { return (uintptr_t)&a->lane % 32 == 0; }

enum colour { RED, GREEN = 5, BLUE };
enum wide_enum { SMALL, LARGE = 0x100000000 };

enum colour colour_next(enum colour c) {
    switch (c) {
    case RED: return GREEN;
    case GREEN: return BLUE;
    case BLUE: return RED;
    }
    return RED;
}

int wide_enum_is_large(enum wide_enum w) { return w == LARGE; }

bool both(bool a, bool b) { return a && b; }
bool *flip(bool *b) { *b = !*b; return b; }
void set_byte(void *at, uint8_t value) { memcpy(at, &value, 1); }

/* A flexible array at the end. */
struct packet { uint16_t length; uint8_t kind; uint8_t data[]; };

struct packet *packet_new(uint8_t kind, const uint8_t *data, uint16_t length) {
    struct packet *p = malloc(sizeof *p + length);
    if (!p) return NULL;
    p->length = length;
    p->kind = kind;
    memcpy(p->data, data, length);
    return p;
}

uint8_t packet_last(const struct packet *p) { return p->data[p->length - 1]; }
void packet_free(struct packet *p) { free(p); }

/* A tag and a union. */
struct value { uint8_t tag; union { int64_t integer; double real; char text[8]; void *nothing; } as; };

int value_is_positive(const struct value *v) {
    switch (v->tag) {
    case 0: return v->as.integer > 0;
    case 1: return v->as.real > 0;
    default: return v->as.text[0] == '+';
    }
}

struct list { struct list *next; uint32_t item; };

uint32_t list_longest(const struct list *l) {
    uint32_t n = 0;
    for (; l; l = l->next) n = n * 3 + l->item;
    return n;
}

/* Built in C, taken apart in Rust. */
struct list *list_push(struct list *l, uint32_t item) {
    struct list *head = malloc(sizeof *head);
    if (!head) abort();
    *head = (struct list){l, item};
    return head;
}
