/* Tells what becomes of calls of the system, any of which may fail: of all that a program does with files. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void tell(const char *what, long result) {
    dprintf(2, "%s %ld %s\n", what, result, result < 0 ? strerror(errno) : "");
}

static void descriptors(void) {
    char buffer[16];
    struct iovec pieces[2] = {{buffer, 3}, {buffer + 3, 5}};
    struct stat status;
    int ends[2];
    int file = open("in", O_RDONLY);
    tell("open", file);
    tell("read", read(file, buffer, 4));
    tell("pread", pread(file, buffer, 4, 2));
    tell("readv", readv(file, pieces, 2));
    tell("read at the end", read(file, buffer, 4));
    tell("lseek", lseek(file, 2, SEEK_SET));
    tell("fstat", fstat(file, &status));
    tell("close", close(file));
    tell("close again", close(file));
    file = open("out", O_RDWR | O_CREAT, 0644);
    tell("open", file);
    tell("write", write(file, "abcdef", 6));
    tell("pwrite", pwrite(file, "ghi", 3, 8));
    tell("writev", writev(file, pieces, 2));
    tell("ftruncate", ftruncate(file, 10));
    tell("fsync", fsync(file));
    char *map = mmap(NULL, 10, PROT_READ, MAP_PRIVATE, file, 0);
    tell("mmap", map == MAP_FAILED ? -1 : map[0] == 'a');
    tell("pipe", pipe(ends));
    tell("dup", dup(file));
}

static void streams(void) {
    char line[16] = "";
    int number = 0;
    FILE *in = fopen("in", "r"), *out;
    tell("fopen", in ? 1 : -1);
    if (in) {
        tell("fgets", fgets(line, sizeof line, in) ? 1 : -1);
        tell("fgetc", fgetc(in));
        tell("fscanf", fscanf(in, "%d", &number));
        tell("fread", fread(line, 1, 10, in));
        tell("feof, ferror", 10 * !!feof(in) + !!ferror(in));
        clearerr(in);
        tell("fgetc", fgetc(in));
        tell("feof, ferror", 10 * !!feof(in) + !!ferror(in));
        tell("freopen", (in = freopen("in", "r+", in)) ? 1 : -1);
    }
    if (in) {
        char *text = NULL;
        size_t size = 0;
        tell("getline", getline(&text, &size, in));
        tell("getdelim", getdelim(&text, &size, 0, in));
        tell("fclose", fclose(in));
        free(text);
    }
    out = fopen("out2", "w");
    tell("fopen", out ? 1 : -1);
    if (out) {
        tell("fprintf", fprintf(out, "%d %s\n", 12, "text"));
        tell("fflush", fflush(out));
        tell("fflush", fflush(out));
        tell("fputs", fputs("more", out) >= 0);
        tell("fclose", fclose(out));
    }
    printf("to standard output\n");
    tell("fflush", fflush(stdout));
    puts("again");
    tell("fclose", fclose(stdout));
}

static void names(void) {
    char place[64];
    struct stat status;
    DIR *directory;
    tell("mkdir", mkdir("d", 0755));
    tell("stat", stat("d", &status));
    tell("rename", rename("in", "d/in"));
    directory = opendir("d");
    tell("opendir", directory ? 1 : -1);
    tell("unlink", unlink("d/in"));
    tell("chdir", chdir("d"));
    tell("getcwd", getcwd(place, sizeof place) ? 1 : -1);
}

static void memory(void) {
    char *text = malloc(4), *other;
    tell("malloc", text ? 1 : -1);
    if (!text)
        return;
    strcpy(text, "abc");
    other = realloc(text, 40);
    tell("realloc", other ? 1 : -1);
    text = other ? other : text;
    other = strdup(text);
    tell("strdup", other ? 1 : -1);
    free(other);
    other = calloc(2, 3);
    tell("calloc", other ? other[5] == 0 : -1);
    free(other);
    free(text);
}

int main(int count, char **given) {
    switch (count > 1 ? given[1][0] : 0) {
    case 'd': descriptors(); break;
    case 's': streams(); break;
    case 'n': names(); break;
    case 'm': memory(); break;
    }
    return 0;
}
