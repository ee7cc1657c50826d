// Reports numbers that depend on every step; compared between a native run and the interpreted translation.
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

extern void report(unsigned long);

static unsigned seed = 12345;
static unsigned next(void) { seed = seed * 1103515245u + 12345u; return seed >> 8; }

struct inner { short s; char c[3]; };
struct outer { long a; struct inner in[2]; float f; unsigned bits : 5, more : 11; };
static struct outer table[4];
static const char *names[] = { "zero", "one", "two", "three" };
static unsigned char bytes[256];
static int numbers[64];
static float floats[64];
static double doubles[64];

static long sum(int n, ...) {
    va_list l, m;
    long s = 0;
    va_start(l, n);
    va_copy(m, l);
    for (int i = 0; i < n; i++) s = s * 3 + (i % 3 == 2 ? (long)va_arg(l, double) : va_arg(l, int));
    for (int i = 0; i < n && i < 2; i++) s += va_arg(m, int);
    va_end(m);
    va_end(l);
    return s;
}

static struct outer turn(struct outer o, int by) {
    o.in[by & 1].s = (short)(o.a * by);
    o.in[0].c[by % 3] ^= o.in[1].c[0];
    o.bits = (unsigned)by + o.more;
    o.f = -o.f / (float)(by + 1);
    o.a = ~o.a >> 3;
    return o;
}

static int machine(const unsigned char *code) {
    static void *jump[] = { &&push, &&add, &&mul, &&swap, &&end };
    int stack[16], *top = stack;
    goto *jump[*code];
push: *top++ = code[1]; code += 2; goto *jump[*code];
add: top--; top[-1] += *top; goto *jump[*++code];
mul: top--; top[-1] *= *top; goto *jump[*++code];
swap: { int t = top[-1]; top[-1] = top[-2]; top[-2] = t; } goto *jump[*++code];
end: return top[-1];
}

static unsigned classify(int c) {
    switch (c) {
    case 'a' ... 'z': return 1;
    case '0' ... '9': return 2;
    case ' ': case '\t': case '\n': return 3;
    case -1: return 4;
    case 1000: return 5;
    default: return c < 0 ? 6 : 7;
    }
}

typedef unsigned char u8x16 __attribute__((vector_size(16)));
typedef int i32x4 __attribute__((vector_size(16)));
typedef float f32x4 __attribute__((vector_size(16)));

static unsigned long vectors(int k) {
    u8x16 a, b;
    for (int i = 0; i < 16; i++) { a[i] = (unsigned char)next(); b[i] = (unsigned char)(next() >> 3); }
    u8x16 less = (u8x16)(a < b);
    u8x16 c = (less & (a + b)) | (~less & (a - b));
    c = __builtin_shufflevector(c, a, 3, 1, 2, 0, 16, 17, 31, 30, 8, 9, 10, 11, 12, 13, 14, 15);
    i32x4 d = (i32x4)c;
    d = (d >> 3) ^ (d << 5) ^ (i32x4){ 1, k, 3, -4 };
    f32x4 f = __builtin_convertvector(d, f32x4) * 0.25f;
    i32x4 g = __builtin_convertvector(f, i32x4) % (i32x4){ 7, 100, 1000, 13 };
    g[k & 3] += d[(k + 1) & 3];
    unsigned long r = 0;
    for (int i = 0; i < 4; i++) r = r * 31 + (unsigned)g[i];
    return r ^ (unsigned long)__builtin_reduce_add(d) ^ c[k & 15];
}

static int by_name(int (*order)(const char *, const char *), const char *name) {
    for (int i = 0; i < 4; i++) if (order(names[i], name) == 0) return i;
    return -1;
}
static int compare(const char *a, const char *b) { while (*a && *a == *b) { a++; b++; } return *a - *b; }

void run(void) {
    for (int i = 0; i < 256; i++) bytes[i] = (unsigned char)next();
    for (int i = 0; i < 64; i++) { numbers[i] = (int)next() - (1 << 22); floats[i] = (float)numbers[i] / 7; doubles[i] = floats[i] * 1.5; }
    report((unsigned long)sum(7, 1, -2, 3.5, 4, 5, -6.0, 7));
    for (int i = 0; i < 4; i++) {
        table[i].a = (long)next() << 20;
        table[i].f = (float)i + 0.5f;
        table[i].more = next();
        memcpy(table[i].in[1].c, names[i], 3);
        table[i] = turn(table[i], i);
        unsigned f;
        memcpy(&f, &table[i].f, 4);
        report((unsigned long)table[i].a ^ (unsigned short)table[i].in[i & 1].s);
        report(((unsigned long)f << 32) + (unsigned char)table[i].in[0].c[0] * 100000 + table[i].bits * 5000 + table[i].more);
    }
    const unsigned char code[] = { 0, 3, 0, 4, 3, 2, 0, 9, 1, 4 };
    report((unsigned long)machine(code));
    unsigned long h = 0;
    for (int c = -5; c < 140; c++) h = h * 7 + classify(c);
    report(h + classify(1000));
    for (int k = 0; k < 20; k++) report(vectors(k));
    report((unsigned long)by_name(compare, "two") * 10 + (unsigned long)by_name(compare, "none"));
    int most = numbers[0];
    unsigned long bits = 0, same = 0;
    double total = 0;
    float least = 1e30f;
    for (int i = 0; i < 64; i++) {
        most = numbers[i] > most ? numbers[i] : most;
        bits += (unsigned)__builtin_popcount((unsigned)numbers[i]) + (unsigned)__builtin_clz((unsigned)numbers[i] | 1);
        total += doubles[i];
        least = floats[i] < least ? floats[i] : least;
    }
    for (int i = 0; i < 256; i++) same += bytes[i] == bytes[(i * 7) & 255] ? (unsigned long)i : bytes[i] >> 2;
    report((unsigned long)most + bits);
    report(same);
    report((unsigned long)(long)total);
    report((unsigned long)(long)(least * 16));
    __int128 wide = (__int128)most * -1234567890123456789LL;
    wide = wide / 1000003 + (wide >> 7) % 97;
    report((unsigned long)wide);
    report((unsigned long)(wide >> 64));
    int vla[next() % 5 + 3];
    for (size_t i = 0; i < sizeof vla / sizeof *vla; i++) vla[i] = (int)(i * i) - 3;
    report((unsigned long)vla[2] + sizeof vla);
    _Bool flag = most & 1;
    flag ^= 1;
    report(flag ? __builtin_bswap32((unsigned)most) : __builtin_bswap64(h));
}
