/* base64: encodes a file to another, or decodes it with -d. `base64 [-d] FROM TO` */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int fail(const char *name) {
  fprintf(stderr, "base64: %s: %s\n", name, strerror(errno));
  return 1;
}

/* Reads until a block is full, or the file ends. */
static ssize_t read_block(int from, unsigned char *block, size_t size) {
  size_t got = 0;
  while (got < size) {
    ssize_t n = read(from, block + got, size - got);
    if (n < 0)
      return -1;
    if (n == 0)
      break;
    got += n;
  }
  return got;
}

static int encode(int from, FILE *to) {
  unsigned char in[3];
  ssize_t n;
  while ((n = read_block(from, in, 3)) > 0) {
    unsigned long bits = (unsigned long)in[0] << 16;
    if (n > 1)
      bits |= (unsigned long)in[1] << 8;
    if (n > 2)
      bits |= in[2];
    fputc(letters[bits >> 18 & 63], to);
    fputc(letters[bits >> 12 & 63], to);
    fputc(n > 1 ? letters[bits >> 6 & 63] : '=', to);
    fputc(n > 2 ? letters[bits & 63] : '=', to);
  }
  fputc('\n', to);
  return n < 0;
}

static int value(unsigned char letter) {
  const char *at = letter ? strchr(letters, letter) : NULL;
  return at ? at - letters : -1;
}

static int decode(int from, FILE *to) {
  unsigned char in[4];
  ssize_t n;
  while ((n = read_block(from, in, 4)) == 4) {
    int padding = (in[2] == '=') + (in[3] == '=');
    if (in[2] == '=' && in[3] != '=')
      return 1;
    unsigned long bits = 0;
    for (int i = 0; i < 4; i++) {
      int v = i >= 4 - padding ? 0 : value(in[i]);
      if (v < 0)
        return 1;
      bits = bits << 6 | (unsigned)v;
    }
    for (int i = 0; i < 3 - padding; i++)
      fputc(bits >> (16 - 8 * i) & 255, to);
    if (padding)
      break;
  }
  return n < 0 || (n > 0 && n < 4);
}

int main(int argc, char **argv) {
  int decoding = argc > 1 && strcmp(argv[1], "-d") == 0;
  if (argc != 3 + decoding) {
    fprintf(stderr, "usage: base64 [-d] FROM TO\n");
    return 2;
  }
  const char *name = argv[1 + decoding], *result = argv[2 + decoding];
  int from = open(name, O_RDONLY);
  if (from < 0)
    return fail(name);
  FILE *to = strcmp(result, "-") == 0 ? stdout : fopen(result, "w");
  if (!to)
    return fail(result);
  int wrong = decoding ? decode(from, to) : encode(from, to);
  close(from);
  if (fflush(to) != 0)
    return fail(result);
  printf("%s %ld\n", wrong ? "wrong" : "done", to == stdout ? -1L : ftell(to));
  return wrong;
}
