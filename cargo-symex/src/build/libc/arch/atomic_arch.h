/* Atomic operations of musl without inline assembly. */
#define a_cas a_cas
static inline int a_cas(volatile int *p, int expected, int to)
{
    __atomic_compare_exchange_n(p, &expected, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

#define a_cas_p a_cas_p
static inline void *a_cas_p(volatile void *p, void *expected, void *to)
{
    __atomic_compare_exchange_n((void *volatile *)p, &expected, to, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}

#define a_barrier a_barrier
static inline void a_barrier(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#define a_crash a_crash
static inline void a_crash(void)
{
    __builtin_trap();
}

#define a_ctz_64 a_ctz_64
static inline int a_ctz_64(uint64_t x)
{
    return __builtin_ctzll(x);
}

#define a_clz_64 a_clz_64
static inline int a_clz_64(uint64_t x)
{
    return __builtin_clzll(x);
}
