/* Calls on files and streams whose results a native run and the engine must agree on. Nothing here depends on inputs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "say.h"

static void show(const char *what, const char *bytes, long count) {
  printf("%s: %ld \"", what, count);
  for (long i = 0; i < count; i++)
    printf(bytes[i] >= 32 && bytes[i] < 127 ? "%c" : "\\%03o", (unsigned char)bytes[i]);
  puts("\"");
}

static void contents(const char *name) {
  char all[128];
  int fd = open(name, O_RDONLY);
  if (fd < 0) {
    say(name, -1);
    return;
  }
  show(name, all, read(fd, all, sizeof all));
  close(fd);
}

static void descriptors(void) {
  char b[32];
  say("open missing", open("missing", O_RDONLY));
  say("open below a file", open("given/x", O_RDONLY));
  say("open a directory to write", open(".", O_WRONLY));
  int fd = open("given", O_RDONLY);
  say("fd", fd);
  show("read", b, read(fd, b, 5));
  say("lseek cur", lseek(fd, 0, SEEK_CUR));
  say("lseek end", lseek(fd, -4, SEEK_END));
  show("read", b, read(fd, b, 32));
  say("read at end", read(fd, b, 32));
  say("lseek before", lseek(fd, -1, SEEK_SET));
  say("lseek nowhere", lseek(fd, 0, 9));
  show("pread", b, pread(fd, b, 4, 2));
  say("write", write(fd, "x", 1));
  int copy = dup(fd);
  say("dup", copy);
  lseek(copy, 1, SEEK_SET);
  say("shared", lseek(fd, 0, SEEK_CUR));
  say("close", close(fd));
  say("close again", close(fd));
  say("read closed", read(fd, b, 1));
  show("read copy", b, read(copy, b, 3));
  say("dup2", dup2(copy, 9));
  say("dup2 bad", dup2(77, 9));
  close(copy);
  show("read 9", b, read(9, b, 3));
  say("fcntl", fcntl(9, F_GETFL) & O_ACCMODE);
  say("fcntl dup", fcntl(9, F_DUPFD, 20));
  close(20);
  close(9);
  fd = open("made", O_RDWR | O_CREAT | O_EXCL, 0644);
  say("made", fd);
  say("made again", open("made", O_RDWR | O_CREAT | O_EXCL, 0644));
  say("write", write(fd, "hello world", 11));
  say("pwrite", pwrite(fd, "W", 1, 6));
  say("lseek beyond", lseek(fd, 3, SEEK_END));
  say("write", write(fd, "!", 1));
  contents("made");
  say("ftruncate", ftruncate(fd, 4));
  contents("made");
  say("ftruncate up", ftruncate(fd, 6));
  contents("made");
  close(fd);
  fd = open("made", O_WRONLY | O_APPEND);
  lseek(fd, 0, SEEK_SET);
  write(fd, "++", 2);
  say("appended", lseek(fd, 0, SEEK_CUR));
  say("read of written", read(fd, b, 1));
  close(fd);
  contents("made");
  fd = open("made", O_WRONLY | O_TRUNC);
  struct iovec out[2] = {{"ab", 2}, {"cde", 3}};
  say("writev", writev(fd, out, 2));
  close(fd);
  char x[2], y[9];
  struct iovec in[2] = {{x, 2}, {y, 9}};
  fd = open("made", O_RDONLY);
  say("readv", readv(fd, in, 2));
  show("second", y, 3);
  close(fd);
  int ends[2];
  say("pipe", pipe(ends));
  say("to pipe", write(ends[1], "through", 7));
  show("from pipe", b, read(ends[0], b, 4));
  show("from pipe", b, read(ends[0], b, 32));
  say("seek pipe", lseek(ends[0], 0, SEEK_SET));
  say("wrong end", write(ends[0], "x", 1));
  close(ends[1]);
  say("closed pipe", read(ends[0], b, 4));
  close(ends[0]);
  say("null", write(fd = open("/dev/null", O_RDWR), "gone", 4));
  say("null", read(fd, b, 4));
  close(fd);
}

static void names(void) {
  struct stat s;
  say("stat", stat("given", &s));
  say("size", s.st_size);
  say("regular", S_ISREG(s.st_mode));
  say("stat missing", stat("nothing", &s));
  say("stat .", stat(".", &s));
  say("directory", S_ISDIR(s.st_mode));
  say("mkdir", mkdir("d", 0755));
  say("mkdir again", mkdir("d", 0755));
  say("mkdir below nothing", mkdir("no/d", 0755));
  say("creat", creat("d/f", 0600));
  close(3);
  stat("d/f", &s);
  say("mode", s.st_mode & 07777);
  say("rmdir full", rmdir("d"));
  say("unlink directory", unlink("d") == -1 && (errno == EISDIR || errno == EPERM));
  say("rename", rename("d/f", "d/../g"));
  say("rename missing", rename("d/f", "h"));
  say("rename onto a directory", rename("g", "d"));
  say("rename a directory below itself", rename("d", "d/e"));
  say("link", link("g", "d/g"));
  stat("g", &s);
  say("links", s.st_nlink);
  say("unlink", unlink("g"));
  stat("d/g", &s);
  say("links", s.st_nlink);
  say("access", access("d/g", F_OK));
  say("access missing", access("g", F_OK));
  say("chdir", chdir("d"));
  contents("../given");
  DIR *dir = opendir(".");
  int seen = 0;
  for (struct dirent *e; (e = readdir(dir));)
    seen += strcmp(e->d_name, "g") == 0 ? 100 : e->d_name[0] == '.' ? 1 : 1000;
  say("listed", seen);
  say("closedir", closedir(dir));
  say("opendir of a file", opendir("g") ? 0 : -1);
  say("chdir back", chdir(".."));
  say("remove", remove("d/g"));
  say("remove directory", remove("d"));
  say("rmdir missing", rmdir("d"));
  say("slash after a file", open("given/", O_RDONLY));
  say("empty", open("", O_RDONLY));
  say("slashes", access(".//./given", R_OK));
  int fd = openat(AT_FDCWD, "given", O_RDONLY);
  say("fstat", fstat(fd, &s));
  char *map = mmap(NULL, s.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  show("map", map, s.st_size);
  say("munmap", munmap(map, s.st_size));
  say("ioctl", isatty(fd));
  close(fd);
}

static int formatted(FILE *to, const char *format, ...) {
  va_list list;
  va_start(list, format);
  int n = vfprintf(to, format, list);
  va_end(list);
  return n;
}

static void streams(void) {
  char b[64], *line = NULL;
  size_t room = 0;
  say("fopen missing", fopen("missing", "r") ? 0 : -1);
  say("fopen mode", fopen("given", "q") ? 0 : -1);
  FILE *f = fopen("given", "r");
  say("getc", getc(f));
  say("ungetc", ungetc('Z', f));
  say("tell", ftell(f));
  show("fgets", b, fgets(b, 4, f) ? (long)strlen(b) : -1);
  say("tell", ftell(f));
  for (long n; (n = getline(&line, &room, f)) != -1;)
    show("line", line, n);
  say("eof", feof(f) != 0);
  say("still", getc(f));
  rewind(f);
  say("eof", feof(f) != 0);
  show("delim", line, getdelim(&line, &room, 'o', f));
  say("seek", fseek(f, -3, SEEK_END));
  say("fread", fread(b, 2, 9, f));
  say("eof", feof(f) != 0);
  say("putc", putc('x', f));
  say("error", ferror(f) != 0);
  clearerr(f);
  say("error", ferror(f) != 0 || feof(f) != 0);
  say("fclose", fclose(f));
  free(line);

  f = fopen("text", "w+");
  say("fputs", fputs("12 apples, 0x1f -7 rest\n", f) >= 0);
  say("fprintf", fprintf(f, "%5d|%-5s|%05.1f\n", 42, "ab", 2.25));
  say("vfprintf", formatted(f, "%s %d %ld\n", "list", 1, 2L));
  say("tell", ftell(f));
  contents("text");
  say("flush", fflush(f));
  contents("text");
  rewind(f);
  int i, j;
  unsigned x;
  char word[16], set[16], c;
  say("fscanf", fscanf(f, "%d %15[a-z], %x %i%c%3s", &i, word, &x, &j, &c, set));
  printf("%d %s %u %d %d %s\n", i, word, x, j, c, set);
  say("tell", ftell(f));
  fseek(f, 0, SEEK_END);
  fputc('$', f);
  fseek(f, -2, SEEK_CUR);
  say("before", getc(f) == '\n');
  say("last", getc(f));
  say("fileno", fileno(f) > 2);
  fclose(f);
  contents("text");

  f = fopen("text", "a");
  fwrite("tail", 1, 4, f);
  fclose(f);
  f = fopen("text", "r+");
  fputs("XY", f);
  fclose(f);
  contents("text");
  say("exclusive", fopen("text", "wx") ? 0 : -1);

  f = tmpfile();
  fputs("temporary", f);
  rewind(f);
  show("tmpfile", b, fread(b, 1, 64, f));
  fclose(f);
  int fd = open("given", O_RDONLY);
  f = fdopen(fd, "r");
  show("fdopen", b, fgets(b, 64, f) ? (long)strlen(b) : -1);
  say("fdopen to write", fdopen(fd, "w") ? 0 : -1);
  fclose(f);
  say("closed with it", close(fd));
  f = fopen("given", "r");
  f = freopen("text", "r", f);
  show("freopen", b, fgets(b, 64, f) ? (long)strlen(b) : -1);
  fclose(f);
  fd = open("out", O_WRONLY | O_CREAT | O_TRUNC, 0644);
  say("dprintf", dprintf(fd, "%d-%s", 5, "five"));
  close(fd);
  contents("out");
}

static void scans(void) {
  const char *texts[] = {"", "  ", "17", "-17 +4 9", "0x10 077 8", "abc def", "99999999999999999999 1", "5,6;7", "-", "12abc"};
  for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
    int a = -100, b = -100, n = -100, m = -100;
    long l = -100;
    short h = -100;
    char s[8] = "none", c = '?';
    printf("%u:", i);
    printf(" %d", sscanf(texts[i], "%d%n %d", &a, &n, &b));
    printf(" %d %d %d;", a, n, b);
    printf(" %d", sscanf(texts[i], "%i %i %i", &a, &b, &m));
    printf(" %d %d %d;", a, b, m);
    printf(" %d", sscanf(texts[i], "%7s%c", s, &c));
    printf(" %s %d;", s, c);
    printf(" %d %s;", sscanf(texts[i], "%2[0-9-]", s), s);
    printf(" %d %s;", sscanf(texts[i], "%7[^a-c]", s), s);
    printf(" %d %ld %d;", sscanf(texts[i], "%ld %hd", &l, &h), l, h);
    printf(" %d %d %d;", sscanf(texts[i], "%d,%d;%*d%n", &a, &b, &n), a, b);
    printf(" %d %d\n", sscanf(texts[i], "%1d%1d", &a, &b), a);
  }
  double d;
  float f;
  printf("%d", sscanf("2.5e2 -1.25x", "%lf%f", &d, &f));
  printf(" %g %g\n", d, f);
}

static void by_number(void) {
  char b[16];
  int ends[2];
  long fd = syscall(SYS_openat, AT_FDCWD, "numbers", O_CREAT | O_RDWR, 0644);
  say("openat by number", fd);
  say("write by number", syscall(SYS_write, fd, "by number", 9L));
  say("lseek by number", syscall(SYS_lseek, fd, 3L, SEEK_SET));
  show("read by number", b, syscall(SYS_read, fd, b, 16L));
  show("pread by number", b, syscall(SYS_pread64, fd, b, 2L, 0L));
  say("close by number", syscall(SYS_close, fd));
  say("close again", syscall(SYS_close, fd));
  say("open by number", syscall(SYS_open, "missing", O_RDONLY));
  say("mkdir by number", syscall(SYS_mkdir, "made", 0755));
  say("rmdir by number", syscall(SYS_rmdir, "made"));
  say("unlink by number", syscall(SYS_unlink, "numbers"));
  say("pipe by number", syscall(SYS_pipe2, ends, 0));
  say("membarrier by number", syscall(SYS_membarrier, 1 << 4, 0, 0));
  say("membarrier as registered", syscall(SYS_membarrier, 1 << 3, 0, 0));
  say("no membarrier", syscall(SYS_membarrier, 1 << 20, 0, 0));
  close(ends[0]);
  close(ends[1]);
}

static void selected(void) {
  fd_set in, out;
  int ends[2];
  struct timeval now = {0, 0};
  pipe(ends);
  FD_ZERO(&in);
  FD_ZERO(&out);
  FD_SET(ends[0], &in);
  FD_SET(ends[1], &out);
  say("select", select(ends[1] + 1, &in, &out, 0, &now));
  say("empty", FD_ISSET(ends[0], &in) != 0);
  say("room", FD_ISSET(ends[1], &out) != 0);
  write(ends[1], "x", 1);
  FD_SET(ends[0], &in);
  say("select", select(ends[1] + 1, &in, &out, 0, 0));
  say("byte", FD_ISSET(ends[0], &in) != 0);
  close(ends[1]);
  FD_SET(ends[1], &out);
  say("select closed", select(ends[1] + 1, &in, &out, 0, &now));
  close(ends[0]);
  FD_ZERO(&in);
  say("select nothing", select(0, 0, 0, 0, &now));
  say("select wrong", select(-1, &in, 0, 0, &now));
}

int main(void) {
  descriptors();
  names();
  streams();
  scans();
  by_number();
  selected();
  perror("perror");
  errno = ENOENT;
  perror("perror");
  fprintf(stderr, "%s %m\n", "errno:");
  return 7;
}
