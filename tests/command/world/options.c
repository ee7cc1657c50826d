/* What getopt_long makes of its arguments, and what is said at the end of the process. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int verbose, level;

static void bye(void) { printf("bye %d\n", level); }

static void first(void) { fputs("first, ", stdout); }

int main(int argc, char **argv) {
  static const struct option names[] = {{"all", no_argument, NULL, 'a'},
                                        {"level", required_argument, NULL, 'l'},
                                        {"maybe", optional_argument, NULL, 'm'},
                                        {"verbose", no_argument, &verbose, 7},
                                        {NULL, 0, NULL, 0}};
  atexit(bye);
  atexit(first);
  int c, index = -1;
  while ((c = getopt_long(argc, argv, "al:m::", names, &index)) != -1) {
    printf("%d %d %s", c, optind, optarg ? optarg : "-");
    if (c == '?')
      printf(" %d", optopt);
    if (c == 'l')
      level = atoi(optarg);
    putchar('\n');
  }
  printf("%d %d:", verbose, index);
  for (int i = optind; i < argc; i++)
    printf(" %s", argv[i]);
  putchar('\n');
  if (verbose)
    exit(3);
  return level;
}
