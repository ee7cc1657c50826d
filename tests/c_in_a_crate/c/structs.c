/* Structures by value, of each class that the ABI of x86-64 knows, as arguments and as results. */
#include <stdint.h>

/* One eightbyte of integers. */
struct header { uint8_t kind; uint16_t flags; uint32_t length; };

uint32_t header_sum(struct header h) { return h.kind * 65536u + h.flags + (h.length & 0xffff); }

struct header header_make(uint8_t kind, uint16_t flags, uint32_t length) {
    struct header h = {kind, flags, length};
    return h;
}

/* Sizes that no register has. */
struct three { uint8_t bytes[3]; };
struct seven { uint8_t bytes[7]; };
struct twelve { uint32_t words[3]; };

struct three three_turned(struct three t) {
    struct three r = {{t.bytes[1], t.bytes[2], t.bytes[0]}};
    return r;
}

struct seven seven_reversed(struct seven s) {
    struct seven r;
    for (int i = 0; i < 7; ++i) r.bytes[i] = s.bytes[6 - i];
    return r;
}

struct twelve twelve_rotated(struct twelve t) {
    struct twelve r = {{t.words[2], t.words[0], t.words[1]}};
    return r;
}

/* Two eightbytes of integers. */
struct pair { uint64_t high; uint32_t low; };

struct pair pair_swapped(struct pair p) {
    struct pair r = {p.low, (uint32_t)p.high};
    return r;
}

/* Floats alone, by twos in a register. */
struct point2 { float x, y; };
struct point3 { float x, y, z; };
struct point4 { float x, y, z, w; };
struct complex { double re, im; };

struct point2 point2_flipped(struct point2 p) { return (struct point2){p.y, p.x}; }
struct point3 point3_turned(struct point3 p) { return (struct point3){p.y, p.z, p.x}; }
struct point4 point4_turned(struct point4 p) { return (struct point4){p.y, p.z, p.w, p.x}; }
struct complex complex_conjugate(struct complex c) { return (struct complex){c.re, -c.im}; }

/* An integer and a float in one eightbyte, and in two. */
struct tagged { uint32_t tag; float value; };
struct weighed { uint64_t id; double weight; };
struct measured { double value; uint8_t unit; };
struct mixed { float x, y; uint16_t n; };

struct tagged tagged_next(struct tagged t) { return (struct tagged){t.tag ^ 1, -t.value}; }
struct weighed weighed_next(struct weighed w) { return (struct weighed){w.id ^ 1, -w.weight}; }
struct measured measured_next(struct measured m) { return (struct measured){-m.value, m.unit ^ 1}; }
struct mixed mixed_next(struct mixed m) { return (struct mixed){m.y, -m.x, m.n ^ 1}; }

/* In memory. */
struct matrix { uint32_t cell[2][3]; };
struct record { struct header header; char name[20]; double weight; };

struct matrix matrix_scaled(struct matrix m, uint32_t factor) {
    for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 3; ++j) m.cell[i][j] *= factor;
    return m;
}

struct record record_renamed(struct record r, char first) {
    r.name[0] = first;
    r.header.length ^= 0xff;
    return r;
}

/* The caller's copy stays as it is. */
uint8_t record_consume(struct record r) {
    for (int i = 0; i < 20; ++i) r.name[i] = 0;
    return r.header.kind;
}

/* After six words, a structure that would go into two registers goes to memory, and what fits goes on in the last one. */
uint64_t late(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, struct pair p, uint64_t f, struct three t) {
    return a ^ b ^ c ^ d ^ e ^ (p.high - p.low) ^ (f << 1) ^ t.bytes[2];
}

double late_floats(double a, double b, double c, double d, double e, double f, double g, struct complex z, double h) {
    return a + b + c + d + e + f + g < 0 ? h : z.im;
}

unsigned __int128 wide_swapped(unsigned __int128 x) { return x << 64 | x >> 64; }

struct wide { unsigned __int128 value; uint8_t tag; };

struct wide wide_next(struct wide w) {
    w.value += w.tag;
    return w;
}

__int128 wide_product(int64_t a, int64_t b) { return (__int128)a * b; }

/* What a union holds decides its class. */
union number { uint64_t bits; double value; };
union word { uint32_t bits; float value; };

union number number_negated(union number n) {
    n.bits ^= 1ull << 63;
    return n;
}

union word word_negated(union word w) {
    w.bits ^= 1u << 31;
    return w;
}

/* Wrong: reads a byte beyond the array within what was passed. */
uint8_t three_at(struct three t, uint32_t i) {
    const uint8_t *p = t.bytes;
    return i <= 3 ? p[i] : 0;
}
