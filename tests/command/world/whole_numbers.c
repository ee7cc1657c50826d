/* Floating-point numbers that are integers: their texts, and what is decided by them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char text[64];
    const char *digits = argv[1] + (argv[1][0] == '-');
    size_t length = strlen(digits);
    double x = strtod(argv[1], NULL);
    int written;

    if (length == 0 || strspn(digits, "0123456789") != length)
        return 1;
    written = printf("%g %f %+.0f|% .2f|%5g|%-7g|%07g %#.0f %.15G\n", x, x, x, x, x, x, x, x, x);
    printf("%d\n", written);
    written = sprintf(text, "%g,%.1f", x, x + 1);
    printf("%d %s\n", written, text);
    printf("%d %d %d %d\n", x > 9.5, x == 7, (int)x % 3, (float)x * 3 < 20);
    /* Too many digits: these depend on the value. */
    if (length < 3)
        return printf("%.1g %3f\n", x, x) > 9;
    return 0;
}
