/* Where musl looks for the locale of its only thread. There is none, and the functions that are linked do without. */
_Alignas(16) char __symex_libc_thread[512];
