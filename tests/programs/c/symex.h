#ifndef SYMEX_H
#define SYMEX_H
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
extern void symex_make_symbolic(void *, size_t, const char *);
extern void symex_assume(_Bool);
#endif
