/* wc: counts lines, words and bytes of files, or of standard input. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

struct counts {
  unsigned long lines, words, bytes;
};

static int show_lines, show_words, show_bytes;

static void count(FILE *from, struct counts *to) {
  int c, in_word = 0;
  while ((c = getc(from)) != EOF) {
    to->bytes++;
    if (c == '\n')
      to->lines++;
    if (isspace(c)) {
      in_word = 0;
    } else if (!in_word) {
      in_word = 1;
      to->words++;
    }
  }
}

static void print(const struct counts *counts, const char *name) {
  const char *between = "";
  if (show_lines) {
    printf("%s%7lu", between, counts->lines);
    between = " ";
  }
  if (show_words) {
    printf("%s%7lu", between, counts->words);
    between = " ";
  }
  if (show_bytes)
    printf("%s%7lu", between, counts->bytes);
  if (name)
    printf(" %s", name);
  putchar('\n');
}

static int usage(const char *program) {
  fprintf(stderr, "usage: %s [-lwc] [FILE...]\n", program);
  return 2;
}

static int options(int argc, char **argv) {
  int at = 1;
  for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
    if (strcmp(argv[at], "--") == 0)
      return at + 1;
    for (const char *letter = argv[at] + 1; *letter; letter++) {
      switch (*letter) {
      case 'l': show_lines = 1; break;
      case 'w': show_words = 1; break;
      case 'c': show_bytes = 1; break;
      default: return -1;
      }
    }
  }
  return at;
}

int main(int argc, char **argv) {
  int status = 0, at = options(argc, argv);
  if (at < 0)
    return usage("wc");
  if (!show_lines && !show_words && !show_bytes)
    show_lines = show_words = show_bytes = 1;
  struct counts total = {0, 0, 0};
  if (at == argc) {
    count(stdin, &total);
    print(&total, NULL);
    return 0;
  }
  for (int i = at; i < argc; i++) {
    struct counts counts = {0, 0, 0};
    FILE *from = strcmp(argv[i], "-") == 0 ? stdin : fopen(argv[i], "r");
    if (!from) {
      fprintf(stderr, "wc: %s: %s\n", argv[i], strerror(errno));
      status = 1;
      continue;
    }
    count(from, &counts);
    if (from != stdin)
      fclose(from);
    print(&counts, argv[i]);
    total.lines += counts.lines;
    total.words += counts.words;
    total.bytes += counts.bytes;
  }
  if (argc - at > 1)
    print(&total, "total");
  return status;
}
