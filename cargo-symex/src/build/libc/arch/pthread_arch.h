/* The only thread of musl's: none of the functions that are linked asks for it. */
extern char __symex_libc_thread[];
static inline uintptr_t __get_tp(void)
{
    return (uintptr_t)__symex_libc_thread;
}
#define MC_PC gregs[REG_RIP]
