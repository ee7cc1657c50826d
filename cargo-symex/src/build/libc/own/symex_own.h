/* What our own part of the C library asks the engine for. */

/* Ends the path: what follows is not known how to do, in these words. */
_Noreturn void __symex_libc_gap(const char *what);

/* Says of the path that something outside of the program was taken to be in one certain way. */
void __symex_libc_assume(const char *what);
