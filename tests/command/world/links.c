/* Links, temporary files and shared mappings, whose results a native run and the engine must agree on. Nothing here depends on
 * inputs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include "say.h"

static void contents(const char *name) {
  char all[64];
  int fd = open(name, O_RDONLY);
  long count = fd < 0 ? -1 : read(fd, all, sizeof all);
  say(name, count);
  if (count > 0)
    printf("%.*s\n", (int)count, all);
  close(fd);
}

static void links(void) {
  struct stat s;
  char to[16];
  long count;
  say("symlink", symlink("given", "l"));
  say("symlink again", symlink("other", "l"));
  say("empty", symlink("", "m"));
  say("readlink", count = readlink("l", to, sizeof to));
  printf("%.*s\n", (int)count, to);
  say("readlink of a part", readlink("l", to, 3));
  say("readlink of a file", readlink("given", to, sizeof to));
  contents("l");
  say("lstat", lstat("l", &s));
  say("is a link", S_ISLNK(s.st_mode));
  say("its size", s.st_size);
  say("stat", stat("l", &s));
  say("is a file", S_ISREG(s.st_mode));
  say("no follow", open("l", O_RDONLY | O_NOFOLLOW));
  say("exclusive", open("l", O_RDWR | O_CREAT | O_EXCL, 0600));
  say("mkdir", mkdir("d", 0755));
  say("up", symlink("../given", "d/up"));
  contents("d/up");
  say("to a directory", symlink("d", "dl"));
  contents("dl/up");
  say("rmdir of a link", rmdir("dl"));
  say("dangling", symlink("later", "d/dangling"));
  say("stat of nothing", stat("d/dangling", &s));
  int fd = open("dl/dangling", O_WRONLY | O_CREAT, 0600);
  say("write", write(fd, "made", 4));
  close(fd);
  contents("d/later");
  say("loop", symlink("b", "a") + symlink("a", "b"));
  say("open a loop", open("a", O_RDONLY));
  say("link of a link", link("l", "l2"));
  lstat("l2", &s);
  say("is a link", S_ISLNK(s.st_mode));
  say("rename", rename("l2", "l3"));
  say("readlink", readlink("l3", to, sizeof to));
  say("slash", open("l3/", O_RDONLY));
  say("access", access("dl/", F_OK));
  say("symlinkat", symlinkat("given", AT_FDCWD, "l4"));
  say("readlinkat", readlinkat(AT_FDCWD, "l4", to, sizeof to));
  say("fstatat", fstatat(AT_FDCWD, "l4", &s, AT_SYMLINK_NOFOLLOW));
  say("is a link", S_ISLNK(s.st_mode));
  int kinds = 0;
  DIR *all = opendir(".");
  for (struct dirent *e; (e = readdir(all));)
    kinds += e->d_type == DT_LNK;
  say("links", kinds);
  closedir(all);
  say("unlink", unlink("l"));
  contents("given");
}

static void temporary(void) {
  char name[] = "tXXXXXX", wrong[] = "tXXXXX", folder[] = "d/XXXXXX", with[] = "tXXXXXX.c";
  struct stat s;
  int fd = mkstemp(name);
  say("mkstemp", fd);
  say("write", write(fd, "temporary", 9));
  close(fd);
  say("changed", strcmp(name, "tXXXXXX") != 0 && name[0] == 't' && strlen(name) == 7);
  stat(name, &s);
  say("mode", s.st_mode & 0777);
  say("unlink", unlink(name));
  say("no template", mkstemp(wrong));
  say("with an end", fd = mkstemps(with, 2));
  close(fd);
  say("unlink", unlink(with));
  say("mkdtemp", mkdtemp(folder) == folder);
  say("rmdir", rmdir(folder));
  fd = open(".", O_TMPFILE | O_RDWR, 0600);
  say("without a name", fd);
  say("write", write(fd, "unnamed", 7));
  say("lseek", lseek(fd, 0, SEEK_SET));
  fstat(fd, &s);
  say("size", s.st_size);
  say("links", s.st_nlink);
  close(fd);
  say("to be read", open(".", O_TMPFILE | O_RDONLY, 0600));
  say("in a file", open("given", O_TMPFILE | O_RDWR, 0600));
  FILE *file = tmpfile();
  say("tmpfile", fputs("kept", file) >= 0);
  rewind(file);
  say("getc", getc(file));
  fclose(file);
}

static void copies(void) {
  int from = open("given", O_RDONLY), to = open("copy", O_RDWR | O_CREAT, 0644);
  int added = open("copy", O_WRONLY | O_APPEND), ends[2];
  off_t here = 2, there = 3;
  char b[16];
  pipe(ends);
  say("copy", copy_file_range(from, NULL, to, NULL, 4, 0));
  say("from", lseek(from, 0, SEEK_CUR));
  say("to", lseek(to, 0, SEEK_CUR));
  say("at", copy_file_range(from, &here, to, &there, 5, 0));
  printf("%ld %ld\n", (long)here, (long)there);
  say("rest", copy_file_range(from, NULL, to, NULL, 1000, 0));
  say("end", copy_file_range(from, NULL, to, NULL, 1000, 0));
  contents("copy");
  say("flags", copy_file_range(from, NULL, to, NULL, 1, 1));
  say("pipe", copy_file_range(from, &here, ends[1], NULL, 1, 0));
  say("read only", copy_file_range(to, NULL, from, NULL, 1, 0));
  say("appended", copy_file_range(from, &here, added, NULL, 1, 0));
  here = 0;
  there = 1;
  say("overlap", copy_file_range(to, &here, to, &there, 2, 0));
  say("sendfile", sendfile(ends[1], from, &here, 3));
  printf("%ld\n", (long)here);
  say("from", lseek(from, 1, SEEK_SET));
  say("sendfile", sendfile(ends[1], from, NULL, 3));
  say("from", lseek(from, 0, SEEK_CUR));
  say("from a pipe", sendfile(to, ends[0], NULL, 3));
  say("appended", sendfile(added, from, NULL, 1));
  memset(b, 0, sizeof b);
  say("read", read(ends[0], b, 15));
  puts(b);
  close(from);
  close(to);
  close(added);
  close(ends[0]);
  close(ends[1]);
  say("null", syscall(SYS_open, NULL, O_RDONLY));
  say("null", syscall(SYS_stat, NULL, b));
}

static void mappings(void) {
  char b[16] = "";
  int fd = open("map", O_RDWR | O_CREAT, 0644);
  say("too long", mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED);
  say("ftruncate", ftruncate(fd, 12));
  char *map = mmap(NULL, 12, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  memcpy(map, "hello world", 11);
  say("pread", pread(fd, b, 5, 0));
  printf("%.5s\n", b);
  say("pwrite", pwrite(fd, "W", 1, 6));
  printf("%s\n", map);
  say("msync", msync(map, 12, MS_SYNC));
  FILE *stream = fopen("map", "r+");
  map[0] = 'J';
  say("fgets", fgets(b, 6, stream) != NULL);
  printf("%s\n", b);
  rewind(stream);
  fputs("yellow", stream);
  fclose(stream);
  printf("%s\n", map);
  say("munmap", munmap(map, 12));
  contents("map");
  int other = open("given", O_RDONLY);
  say("read only", mmap(NULL, 4, PROT_WRITE, MAP_SHARED, other, 0) == MAP_FAILED ? -1 : 0);
  map = mmap(NULL, 4, PROT_WRITE, MAP_PRIVATE, other, 0);
  map[0] = '!';
  contents("given");
  struct iovec pieces[2] = {{b, 2}, {b + 2, 3}};
  say("preadv", preadv(fd, pieces, 2, 1));
  printf("%.5s\n", b);
  say("pwritev", pwritev(fd, pieces, 2, 4));
  contents("map");
  map = mmap(NULL, 12, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  map[11] = '.';
}

static void clean(void) {
  const char *names[] = {"l3", "l4", "a", "b", "dl/up", "d/dangling", "dl/later", "dl", "d"};
  for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
    say(names[i], remove(names[i]));
}

int main(void) {
  links();
  temporary();
  copies();
  mappings();
  clean();
  say("chown", chown("given", -1, -1));
  say("lchown", lchown("missing", -1, -1));
  return 0;
}
