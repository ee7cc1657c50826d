/* Numbers in texts: where each ends, what it is, and whether it is out of range. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void show(const char *text, const char *end, double x)
{
    printf("%d %d %d %d %d %d\n", (int)(end - text), errno, x < 0, x > 99.5, x == 0, isnan(x) || isinf(x));
}

int main(int argc, char **argv)
{
    char *end, after = '!';
    const char *text = argv[1];
    double wide, read = -1;

    errno = 0;
    wide = strtod(text, &end);
    show(text, end, wide);
    errno = 0;
    show(text, end, (double)strtof(text, &end));
    /* A text of a number of few values is made on a path for each. */
    if (argc > 2 && end - text < 4 && wide == wide) {
        char shown[64];
        snprintf(shown, sizeof shown, "%g %.3e", wide, wide / 3);
        puts(shown);
    }
    errno = 0;
    int count = sscanf(text, "%lf%c", &read, &after);
    printf("%d %d %d\n", count, count > 0 && read == wide, count > 1 && after == '-');
    return 0;
}
