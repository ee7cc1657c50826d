/* Numbers that are shown, and whose texts are not measured. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    double x = atoi(argv[1]) / 7.0;

    printf("%f %10.3e|%-12g|%+.1f|%012.4f|% G\n", x, x, x * 1e5, -x, x / 3, x * 1e-9);
    printf("%a %5.1f%%\n", x, 100 * x);
    fprintf(stderr, "%Lf %.3Le\n", (long double)x, x / 3.0L);
    fflush(stdout);
    dprintf(1, "%g %d\n", 1 / x, (int)x);
    return x > 14;
}
