/* cut: prints fields of the lines of standard input. `cut -f LIST [-dC] [-s]`, where LIST is numbers and ranges, separated by
   commas. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_FIELDS 32

static unsigned char wanted[MOST_FIELDS + 1];
static char delimiter = '\t';
static int only_delimited;

static void fail(const char *message, const char *what) {
  fprintf(stderr, "cut: %s: %s\n", message, what);
  exit(1);
}

/* A number from 1 to MOST_FIELDS; what is missing is `missing`. */
static long number(char **at, long missing) {
  char *end;
  if (**at < '0' || **at > '9')
    return missing;
  long value = strtol(*at, &end, 10);
  if (value < 1 || value > MOST_FIELDS)
    fail("no such field", *at);
  *at = end;
  return value;
}

static void parse_list(char *list) {
#ifdef BUG
  /* A comma at the end is allowed, and what stands there is taken off first. */
  size_t last = strlen(list) - 1;
  if (list[last] == ',')
    list[last] = '\0';
#else
  size_t length = strlen(list);
  if (length == 0)
    fail("an empty list of fields", list);
  if (list[length - 1] == ',')
    list[length - 1] = '\0';
#endif
  char *at = list;
  for (;;) {
    char *start = at;
    long from = number(&at, 1), to = from;
    if (*at == '-') {
      at++;
      to = number(&at, MOST_FIELDS);
    }
    if (at == start || to < from)
      fail("no list of fields", start);
    for (long i = from; i <= to; i++)
      wanted[i] = 1;
    if (*at == '\0')
      return;
    if (*at++ != ',')
      fail("no list of fields", start);
  }
}

static void cut_line(char *line) {
  size_t length = strlen(line);
  if (length > 0 && line[length - 1] == '\n')
    line[--length] = '\0';
  if (!strchr(line, delimiter)) {
    if (!only_delimited)
      puts(line);
    return;
  }
  int field = 1, printed = 0;
  for (char *at = line;;) {
    char *end = strchr(at, delimiter);
    size_t size = end ? (size_t)(end - at) : strlen(at);
    if (field <= MOST_FIELDS && wanted[field]) {
      if (printed)
        putchar(delimiter);
      fwrite(at, 1, size, stdout);
      printed = 1;
    }
    if (!end)
      break;
    at = end + 1;
    field++;
  }
  putchar('\n');
}

int main(int argc, char **argv) {
  int listed = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-f") == 0 && i + 1 < argc) {
      parse_list(argv[++i]);
      listed = 1;
    } else if (strncmp(argv[i], "-d", 2) == 0) {
      if (strlen(argv[i]) != 3)
        fail("no delimiter of one character", argv[i]);
      delimiter = argv[i][2];
    } else if (strcmp(argv[i], "-s") == 0) {
      only_delimited = 1;
    } else {
      fail("no such option", argv[i]);
    }
  }
  if (!listed)
    fail("no fields", "-f is missing");
  char *line = NULL;
  size_t room = 0;
  while (getline(&line, &room, stdin) != -1)
    cut_line(line);
  free(line);
  return 0;
}
