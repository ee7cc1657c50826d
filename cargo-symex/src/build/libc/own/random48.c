/* The numbers of drand48 and its kin. Other than in musl, a new seed also undoes what lcong48 set. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static unsigned short the_state[3];
static uint64_t factor = 0x5deece66d, addend = 0xb;

static uint64_t join(const unsigned short s[3])
{
    return s[0] | (uint64_t)s[1] << 16 | (uint64_t)s[2] << 32;
}

static uint64_t step(unsigned short s[3])
{
    uint64_t next = (join(s) * factor + addend) & 0xffffffffffff;
    s[0] = next;
    s[1] = next >> 16;
    s[2] = next >> 32;
    return next;
}

double erand48(unsigned short s[3])
{
    return (double)step(s) * 0x1p-48;
}

long nrand48(unsigned short s[3])
{
    return (long)(step(s) >> 17);
}

long jrand48(unsigned short s[3])
{
    return (int32_t)(step(s) >> 16);
}

double drand48(void)
{
    return erand48(the_state);
}

long lrand48(void)
{
    return nrand48(the_state);
}

long mrand48(void)
{
    return jrand48(the_state);
}

unsigned short *seed48(unsigned short *seed)
{
    static unsigned short before[3];
    memcpy(before, the_state, sizeof before);
    memcpy(the_state, seed, sizeof the_state);
    factor = 0x5deece66d;
    addend = 0xb;
    return before;
}

void srand48(long seed)
{
    seed48((unsigned short[3]){0x330e, seed, seed >> 16});
}

void lcong48(unsigned short parameters[7])
{
    memcpy(the_state, parameters, sizeof the_state);
    factor = join(parameters + 3);
    addend = parameters[6];
}
