/* System calls of musl: none of the functions that are linked makes any, and one that did would be a gap by this name. */
#define __SYSCALL_LL_E(x) (x)
#define __SYSCALL_LL_O(x) (x)

long __symex_libc_syscall(long, ...);

#define __syscall0(n) __symex_libc_syscall(n)
static inline long __syscall1(long n, long a) { return __symex_libc_syscall(n, a); }
static inline long __syscall2(long n, long a, long b) { return __symex_libc_syscall(n, a, b); }
static inline long __syscall3(long n, long a, long b, long c) { return __symex_libc_syscall(n, a, b, c); }
static inline long __syscall4(long n, long a, long b, long c, long d) { return __symex_libc_syscall(n, a, b, c, d); }
static inline long __syscall5(long n, long a, long b, long c, long d, long e)
{
    return __symex_libc_syscall(n, a, b, c, d, e);
}
static inline long __syscall6(long n, long a, long b, long c, long d, long e, long f)
{
    return __symex_libc_syscall(n, a, b, c, d, e, f);
}
