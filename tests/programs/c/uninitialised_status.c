// expect: bug uninit-use
#include <symex.h>

/* Nothing is decided by the value, but whoever started the program sees it. */
int main(void) {
    int status;
    unsigned char x;
    symex_make_symbolic(&x, sizeof x, "x");
    if (x < 200)
        status = 0;
    return status;
}
