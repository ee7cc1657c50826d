//! Tests of the models of C's library in whole programs: checked conditions must hold on all paths,
//! and without symbolic values the program must print what it prints natively.

use crate::support;
use crate::support::limited::{self, LIMIT, watch};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use symex_bitcode::translate_file;
use symex_engine::{Entry, Job, explore};
use symex_types::config::Config;
use symex_types::event::Silent;
use symex_types::outcome::{Bound, FindingKind, Outcome, Verdict};

const PRELUDE: &str = r#"
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
void symex_make_symbolic(void *, size_t, const char *);
uint64_t symex_any_int(uint32_t, const char *);
uint64_t symex_any_range(uint64_t, uint64_t, const char *);
void symex_assume(_Bool);
void symex_cover(_Bool, const char *);
void symex_exit(int);
void klee_make_symbolic(void *, size_t, const char *);
void klee_assume(uintptr_t);
int klee_range(int, int, const char *);
#define CHECK(x) do { if (!(x)) __assert_fail(#x, __FILE__, __LINE__, __func__); } while (0)
void __assert_fail(const char *, const char *, unsigned, const char *) __attribute__((noreturn));
static int say(char *to, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = to ? vsprintf(to, format, list) : vprintf(format, list);
    va_end(list);
    return n;
}
"#;

fn source(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("program.c");
    std::fs::write(&path, format!("{PRELUDE}\n{text}")).expect("the source is written");
    path
}

fn clang(args: &[&str], from: &Path, to: &Path) {
    limited::succeed(
        support::clang()
            .args(["-O1", "-g", "-fno-builtin", "-Wno-everything", "-o"])
            .arg(to)
            .arg(from)
            .args(args),
    );
}

/// Explores `main` of a program.
fn run(text: &str) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let from = source(folder.path(), text);
    let bitcode = folder.path().join("program.bc");
    clang(&["-c", "-emit-llvm"], &from, &bitcode);
    let program = translate_file(&bitcode).expect("the program is understood");
    let main = program.function_names["main"];
    let mut config = Config::default();
    config.limits.timeout = Some(Duration::from_secs(120));
    // The memory limit concerns the whole process, which runs other tests.
    config.limits.max_memory = None;
    let main = Entry::Main(main, vec!["program".into()]);
    let job = Job::new(Arc::new(program), main, config);
    let _watch = watch(LIMIT);
    explore(&job, &mut Silent)
}

/// Asserts that all checks in the program hold, on all paths.
fn holds(text: &str) -> Outcome {
    let outcome = run(text);
    assert_eq!(outcome.verdict, Verdict::PassComplete, "{outcome:#?}");
    outcome
}

/// Asserts that all checks in the program hold on all paths, in the world that these options
/// describe.
fn holds_if(world: &[&str], text: &str) {
    let outcome = run(text);
    let Verdict::PassBounded { bounds } = &outcome.verdict else {
        panic!("{outcome:#?}")
    };
    let told: Vec<Bound> = bounds.iter().map(|bound| bound.what.clone()).collect();
    let expected: Vec<Bound> = world
        .iter()
        .map(|w| Bound::Assumed(w.to_string()))
        .collect();
    assert_eq!(told, expected);
}

/// Asserts that there is exactly one finding; returns its message.
fn finds(kind: FindingKind, text: &str) -> String {
    let outcome = run(text);
    assert_eq!(outcome.findings.len(), 1, "{outcome:#?}");
    assert_eq!(outcome.findings[0].kind, kind, "{outcome:#?}");
    outcome.findings[0].message.clone()
}

/// Asserts that the body of a `main` prints the same natively and in the engine.
fn prints_the_same(body: &str) {
    let text = format!("int main(void) {{ {body}\n fflush(stdout); abort(); }}");
    let outcome = run(&text);
    assert_eq!(outcome.findings.len(), 1, "{outcome:#?}");
    assert_eq!(outcome.findings[0].kind, FindingKind::Abort, "{outcome:#?}");
    let folder = tempfile::tempdir().expect("a folder");
    let from = source(folder.path(), &text);
    let binary = folder.path().join("program");
    clang(&["-lm"], &from, &binary);
    let native = limited::output(&mut Command::new(&binary));
    let shown = String::from_utf8_lossy(&outcome.findings[0].output).into_owned();
    assert_eq!(shown, String::from_utf8_lossy(&native.stdout));
    assert!(!shown.is_empty());
}

#[test]
fn inputs() {
    let outcome = holds(
        r#"
        int main(void) {
            uint64_t bit = symex_any_int(1, "bit"), word = symex_any_int(16, "word");
            CHECK(bit <= 1);
            CHECK(word <= 0xffff);
            uint64_t r = symex_any_range(10, 20, "r");
            CHECK(r >= 10 && r <= 20);
            symex_cover(r == 20, "upper end");
            CHECK(symex_any_range(7, 7, "one") == 7);
            int k = klee_range(-3, 4, "k");
            CHECK(k >= -3 && k < 4);
            unsigned char data[4];
            symex_make_symbolic(data, 4, "data");
            symex_assume(data[2] == 9);
            CHECK(data[2] == 9);
            return 0;
        }"#,
    );
    assert_eq!(outcome.covers, [("upper end".to_string(), true)]);
    let outcome = run(r#"
        int main(void) {
            uint64_t r = symex_any_range(1, 20, "r");
            symex_cover(r == 0, "never");
            return 0;
        }"#);
    assert_eq!(outcome.covers, [("never".to_string(), false)]);
    assert!(matches!(outcome.verdict, Verdict::Vacuous { .. }));
    let outcome = run(r#"
        int main(void) {
            uint64_t a = symex_any_int(32, "a");
            unsigned char data[2];
            symex_make_symbolic(data, 2, "data");
            if (a == 0x01020304 && data[1] == 7) abort();
            return 0;
        }"#);
    let draws = &outcome.findings[0].inputs;
    assert_eq!(draws[0].bytes, [4, 3, 2, 1]);
    assert_eq!(draws[1].bytes, [0, 7]);
}

#[test]
fn heap() {
    holds(
        r#"
        int main(void) {
            char *p = malloc(10);
            memset(p, 'x', 10);
            p = realloc(p, 20);
            CHECK(p[9] == 'x');
            free(p);
            free(NULL);
            int *q = calloc(4, sizeof(int));
            CHECK(q[3] == 0);
            free(q);
            CHECK(calloc(SIZE_MAX / 2, 4) == NULL);
            CHECK(errno == ENOMEM);
            void *a;
            CHECK(posix_memalign(&a, 64, 100) == 0);
            CHECK((uintptr_t)a % 64 == 0);
            free(a);
            CHECK(posix_memalign(&a, 7, 100) == EINVAL);
            char *s = strdup("hello");
            CHECK(strcmp(s, "hello") == 0);
            free(s);
            char *t = strndup("hello", 2);
            CHECK(strcmp(t, "he") == 0);
            free(t);
            void *m = mmap(NULL, 5000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            CHECK(m != MAP_FAILED && ((char *)m)[8191] == 0);
            CHECK(munmap(m, 5000) == 0);
            return 0;
        }"#,
    );
    finds(
        FindingKind::DoubleFree,
        "int main(void) { char *p = malloc(1); free(p); free(p); return 0; }",
    );
    for wrong in ["free(mapped)", "munmap(malloc(4096), 4096)"] {
        finds(
            FindingKind::InvalidFree,
            &format!(
                "int main(void) {{
                    void *mapped = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                    {wrong};
                    return mapped == NULL;
                }}"
            ),
        );
    }
    finds(
        FindingKind::InvalidFree,
        "int main(void) { char *p = malloc(8); free(p + 1); return 0; }",
    );
    finds(
        FindingKind::InvalidFree,
        "int main(void) { char p[8]; free(p); return 0; }",
    );
    finds(
        FindingKind::UseAfterFree,
        "int main(void) { char *p = malloc(8); *p = 1; char *q = realloc(p, 9); return *p; }",
    );
    finds(
        FindingKind::UninitUse,
        "int main(void) { char *p = malloc(8); return p[3] == 4 ? 0 : 0 * printf(\"x\"); }",
    );
}

#[test]
fn a_file_in_memory_is_a_file() {
    holds(
        r#"
        #include <fcntl.h>
        int memfd_create(const char *, unsigned);
        long syscall(long, ...);
        int main(void) {
            int file = memfd_create("any name", 1);
            CHECK(file >= 0 && fcntl(file, F_GETFD) == FD_CLOEXEC);
            CHECK(write(file, "abc", 3) == 3 && lseek(file, 0, SEEK_SET) == 0);
            char text[4] = {0};
            CHECK(read(file, text, 4) == 3 && strcmp(text, "abc") == 0);
            CHECK(ftruncate(file, 4096) == 0);
            char *m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
            CHECK(m != MAP_FAILED && m[2] == 'c' && m[3] == 0);
            m[0] = 'A';
            CHECK(pread(file, text, 1, 0) == 1 && text[0] == 'A');
            CHECK(munmap(m, 4096) == 0 && close(file) == 0);
            CHECK(memfd_create("x", 0x1000) == -1 && errno == EINVAL);
            CHECK(memfd_create(NULL, 0) == -1 && errno == EFAULT);
            CHECK(syscall(319, "", 0) == file);
            return 0;
        }"#,
    );
}

#[test]
fn sizes_that_depend_on_the_input() {
    let outcome = holds(
        r#"
        int main(void) {
            size_t n = symex_any_range(1, 4, "n");
            char *p = malloc(n);
            memset(p, 7, n);
            CHECK(p[n - 1] == 7);
            free(p);
            return 0;
        }"#,
    );
    assert_eq!(outcome.stats.completed, 1);
    let outcome = run(r#"
        int main(void) {
            size_t n = symex_any_int(64, "n");
            char *p = malloc(n);
            if (!p) return 0;
            free(p);
            return 0;
        }"#);
    let Verdict::PassBounded { bounds } = &outcome.verdict else {
        panic!("{outcome:#?}");
    };
    assert_eq!(bounds.len(), 2, "{bounds:#?}");
}

#[test]
fn blocks_of_bytes() {
    let outcome = holds(
        r#"
        int main(void) {
            char a[8], b[8];
            symex_make_symbolic(a, 8, "a");
            memcpy(b, a, 8);
            CHECK(memcmp(a, b, 8) == 0);
            CHECK(bcmp(a, b, 8) == 0);
            b[7] ^= 1;
            CHECK(memcmp(a, b, 8) != 0);
            CHECK(memcmp(a, b, 7) == 0);
            CHECK(bcmp(a, b, 8) != 0);
            if (memcmp(a, "needle!!", 8) == 0) CHECK(a[3] == 'd');
            else CHECK(memcmp("needle!!", a, 8) != 0);
            if (memcmp(a, b, 8) < 0) CHECK((unsigned char)a[7] < (unsigned char)b[7]);
            memmove(b + 1, b, 7);
            CHECK(b[1] == a[0]);
            return 0;
        }
        "#,
    );
    // Comparing does not fork; only the ifs do.
    assert!(outcome.stats.completed <= 4, "{outcome:#?}");
    holds(
        r#"
        int main(void) {
            char a[6];
            symex_make_symbolic(a, 6, "a");
            char *p = memchr(a, 'x', 6);
            if (p) { CHECK(*p == 'x'); CHECK(p == a || p[-1] != 'x' ); }
            else for (int i = 0; i < 6; i++) CHECK(a[i] != 'x');
            char *q = memrchr(a, 'x', 6);
            CHECK((p == NULL) == (q == NULL));
            if (q) { CHECK(q >= p); CHECK(*q == 'x'); }
            return 0;
        }
        "#,
    );
    let outcome = holds(
        r#"
        int main(void) {
            char text[] = "abcabcabd";
            size_t i = symex_any_range(0, 6, "i");
            int equal = memcmp(text + i, "abc", 3) == 0;
            CHECK(equal == (i == 0 || i == 3));
            return 0;
        }"#,
    );
    assert!(outcome.stats.completed <= 4, "{outcome:#?}");
    finds(
        FindingKind::OutOfBounds,
        r#"int main(void) { char a[4], b[8]; memset(b, 0, 8); memcpy(a, b, symex_any_range(1, 5, "n")); return 0; }"#,
    );
    finds(
        FindingKind::Undefined,
        "int main(void) { char a[8] = {0}; memcpy(a, a + 2, 4); return 0; }",
    );
}

#[test]
fn strings() {
    let outcome = holds(
        r#"
        int main(void) {
            char s[4];
            symex_make_symbolic(s, 4, "s");
            s[3] = 0;
            size_t n = strlen(s);
            CHECK(n <= 3 && s[n] == 0);
            CHECK(strnlen(s, 2) == (n < 2 ? n : 2));
            return 0;
        }"#,
    );
    assert_eq!(outcome.stats.completed, 4);
    let outcome = holds(
        r#"
        int main(void) {
            char s[6];
            symex_make_symbolic(s, 6, "s");
            s[5] = 0;
            if (strcmp(s, "magic") == 0) {
                CHECK(s[0] == 'm' && s[4] == 'c');
                return 0;
            }
            CHECK(s[0] != 'm' || s[1] != 'a' || s[2] != 'g' || s[3] != 'i' || s[4] != 'c');
            if (strncmp(s, "ma", 2) == 0) CHECK(s[0] == 'm' && s[1] == 'a');
            if (strcasecmp(s, "MAGIC") == 0) CHECK((s[0] | 32) == 'm');
            return 0;
        }"#,
    );
    assert!(outcome.stats.completed <= 12, "{outcome:#?}");
    holds(
        r#"
        int main(void) {
            char s[4], t[16];
            symex_make_symbolic(s, 4, "s");
            s[3] = 0;
            strcpy(t, "<");
            strcat(t, s);
            strcat(t, ">");
            CHECK(t[0] == '<' && t[strlen(s) + 1] == '>');
            char *p = strchr(s, ':');
            if (p) CHECK(*p == ':' && p - s < 3);
            CHECK(strchr(s, 0) == s + strlen(s));
            char *q = strrchr(s, ':');
            CHECK((p == NULL) == (q == NULL));
            return 0;
        }"#,
    );
    finds(
        FindingKind::OutOfBounds,
        r#"int main(void) { char s[3]; symex_make_symbolic(s, 3, "s"); return strlen(s) > 5; }"#,
    );
    finds(
        FindingKind::OutOfBounds,
        r#"int main(void) { char s[3]; symex_make_symbolic(s, 3, "s"); return strcmp(s, "abcd") == 0 && s[0] == 'b'; }"#,
    );
    prints_the_same(
        r#"
        char b[32];
        printf("%d %d %d\n", strcmp("abc", "abd") < 0, strcmp("b", "a") > 0, strcmp("", ""));
        printf("%zu %zu\n", strspn("aabc", "ab"), strcspn("hello, world", ", "));
        printf("%s|%s\n", strstr("hello world", "o w"), strpbrk("a-b+c", "+-"));
        strncpy(b, "abc", 6); printf("%d%d\n", b[4], b[5]);
        strcpy(b, "one,two;;three");
        char *save, *p = strtok_r(b, ",;", &save);
        while (p) { printf("[%s]", p); p = strtok_r(NULL, ",;", &save); }
        char *rest = strcpy(b, "x::y");
        while ((p = strsep(&rest, ":"))) printf("(%s)", p);
        printf("%s\n", (char *)memmem("abcdef", 6, "cd", 2));
        printf("%s %s\n", stpcpy(b, "end") == b + 3 ? "yes" : "no", b);
        printf("%d %d\n", strcasecmp("HeLLo", "hEllO"), strncasecmp("abX", "ABy", 2));"#,
    );
}

#[test]
fn characters() {
    prints_the_same(
        r#"
        for (int c = 0; c < 256; c++)
            printf("%d%d%d%d%d%d%d%d%d%d%d%d %d %d\n", !!isalnum(c), !!isalpha(c), !!isblank(c), !!iscntrl(c),
                !!isdigit(c), !!isgraph(c), !!islower(c), !!isprint(c), !!ispunct(c), !!isspace(c), !!isupper(c),
                !!isxdigit(c), tolower(c), toupper(c));"#,
    );
    holds(
        r#"
        #undef tolower
        #undef isdigit
        int main(void) {
            int c = symex_any_int(8, "c");
            if ((isdigit)(c)) CHECK(c >= '0' && c <= '9');
            if (c == 'Q') CHECK((tolower)(c) == 'q');
            return 0;
        }"#,
    );
}

#[test]
fn formats() {
    prints_the_same(
        r#"
        printf("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%5.2d|%.0d\n", 42, 42, 42, 42, 42, 42, 7, 7, 0);
        printf("%u|%x|%X|%#x|%#o|%o|%08x\n", 3000000000u, 255, 255, 255, 8, 8, 0xbeef);
        printf("%ld|%lld|%zu|%hd|%hhu|%jd\n", -5L, -1LL << 62, (size_t)-1, 70000, 300, (intmax_t)9);
        printf("%s|%10s|%-10s|%.2s|%c|%%|%5c\n", "text", "right", "left", "cut", 'c', 'd');
        printf("%*d|%-*d|%.*f\n", 6, 1, 6, 2, 2, 3.14159);
        printf("%f|%.0f|%10.3f|%e|%g|%g|%g|%G\n", 1.5, 2.5, -3.14159, 12345.678, 0.0001, 1e10, 100.0, 1e-10);
        printf("%f|%f|%5.1f|%05.1f\n", 1.0 / 0.0, -1.0 / 0.0, 9.96, -0.05);
        char b[8];
        int n = snprintf(b, sizeof b, "%d-%s", 12345, "abc");
        printf("%d %s\n", n, b);
        puts("a line"); putchar('x'); fputs("more\n", stdout); fwrite("abcd", 2, 2, stdout);
        fputc('\n', stdout); fprintf(stdout, "%s %d\n", "to a stream", 5);
        write(1, "", 0);"#,
    );
    holds(
        r#"
        int main(void) {
            int n = (int)symex_any_int(16, "n") - 300;
            char b[32];
            int len = sprintf(b, "%d", n);
            CHECK(len == (int)strlen(b));
            CHECK(atoi(b) == n);
            CHECK(printf("%d\n", n) == len + 1);
            sprintf(b, "%x", n & 0xff);
            CHECK(strtol(b, NULL, 16) == (n & 0xff));
            return 0;
        }"#,
    );
    finds(
        FindingKind::OutOfBounds,
        r#"int main(void) { char b[4]; sprintf(b, "%d", (int)symex_any_range(0, 5000, "n")); return 0; }"#,
    );
    finds(
        FindingKind::NullAccess,
        r#"int main(void) { FILE *f = fopen("/x", "r"); fprintf(f, "x"); return 0; }"#,
    );
}

#[test]
fn variable_arguments_through_a_list() {
    prints_the_same(
        r#"
        char b[64];
        say(NULL, "%d %s %.1f %ld %c\n", 1, "two", 3.0, 4L, '5');
        say(NULL, "%d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8);
        printf("%d %s\n", say(b, "%s %d", "in memory", 9), b);"#,
    );
}

#[test]
fn numbers_from_text() {
    prints_the_same(
        r#"
        char *e;
        const char *s[] = {"  -42x", "+7", "0x1fz", "010", "99999999999999999999", "-99999999999999999999", "zz", "", "-", "0x"};
        for (int i = 0; i < 10; i++)
            for (int base = 0; base <= 36; base += 2) {
                errno = 0;
                long v = strtol(s[i], &e, base);
                printf("%ld %d %d|", v, (int)(e - s[i]), errno == ERANGE);
                errno = 0;
                unsigned long u = strtoul(s[i], &e, base);
                printf("%lu %d %d\n", u, (int)(e - s[i]), errno == ERANGE);
            }
        printf("%d %ld %f\n", atoi("12 3"), atol("-5"), atof("2.50"));
        printf("%f %d\n", strtod(" 1e3z", &e), *e);
        printf("%d %d\n", rand(), rand());
        srand(7); printf("%d\n", rand());
        printf("%d %d %ld\n", abs(-4), ffs(8), labs(-9L));
        div_t d = div(17, -5); ldiv_t l = ldiv(-17, 5);
        printf("%d %d %ld %ld\n", d.quot, d.rem, l.quot, l.rem);"#,
    );
    let outcome = holds(
        r#"
        int main(void) {
            char s[4];
            symex_make_symbolic(s, 4, "s");
            s[3] = 0;
            int n = atoi(s);
            CHECK(n >= -99 && n <= 999);
            if (n == 123) CHECK(s[0] == '1');
            return 0;
        }"#,
    );
    assert!(outcome.stats.completed < 200);
}

#[test]
fn mathematics() {
    prints_the_same(
        r#"
        double x[] = {0.0, -0.0, 0.3, -1.7, 2.5, 1e300, 1e-310, 7.0};
        for (int i = 0; i < 8; i++) {
            int n; double w;
            printf("%.17g %.17g %.17g %.13g ", sin(x[i]), cos(x[i]), exp(x[i]), cbrt(x[i]));
            printf("%.17g %.17g %.17g %.17g ", floor(x[i]), round(x[i]), rint(x[i]), fabs(x[i]));
            printf("%.17g %.17g %.17g %.17g ", atan2(x[i], 2.0), hypot(x[i], 3.0), fmod(x[i], 1.5), pow(fabs(x[i]), 0.3));
            printf("%.17g %.17g ", frexp(x[i], &n), modf(x[i], &w));
            printf("%d %.17g %.17g %ld\n", n, w, ldexp(x[i], -3), lround(fmod(x[i], 100.0)));
            printf("%.9g %.9g %.9g\n", sinf(fmin(x[i], 1e30)), sqrtf(fabs(fmin(x[i], 1e30))), powf(2.0f, 1.5f));
        }"#,
    );
    holds(
        r#"
        int main(void) {
            double x = (double)(int64_t)symex_any_int(8, "x");
            CHECK(floor(x / 2) <= x / 2);
            CHECK(fmax(x, 3.0) >= 3.0);
            return 0;
        }"#,
    );
    holds(
        r#"
        int main(void) {
            union { uint64_t n; double x; } u = { symex_any_int(64, "x") };
            CHECK(!(sin(u.x) > 2.0) && !(atan2(u.x, 1.0) < -4.0f));
            return 0;
        }"#,
    );
    let outcome = run(r#"
        int main(void) {
            union { uint64_t n; double x; } u = { symex_any_int(64, "x") };
            return sinl(u.x) > 2.0;
        }"#);
    assert!(
        matches!(outcome.verdict, Verdict::Inconclusive { .. }),
        "{outcome:#?}"
    );
}

#[test]
fn the_allocator_of_rust() {
    const DECLARATIONS: &str = r#"
        void *allocate(size_t, size_t) __asm__("_RNvCs1_7___rustc11___rdl_alloc");
        void *extend(void *, size_t, size_t, size_t) __asm__("_RNvCs1_7___rustc13___rdl_realloc");
    "#;
    for call in [
        "allocate(n, 8)",
        "allocate((size_t)INTPTR_MAX - 6, 8)",
        "extend(allocate(8, 8), 8, 8, n)",
    ] {
        let text = format!(
            "{DECLARATIONS} int main(void) {{
                size_t n = symex_any_int(64, \"n\");
                symex_assume(n > 0);
                {call};
                return 0;
            }}"
        );
        let message = finds(FindingKind::UncheckedOperation, &text);
        assert!(message.contains("isize::MAX"), "{call}: {message}");
    }
    holds(&format!(
        "{DECLARATIONS} int main(void) {{
            uint32_t n = symex_any_int(32, \"n\");
            symex_assume(n > 0 && n < 100);
            return allocate(n, 8) == NULL;
        }}"
    ));
}

#[test]
fn a_breakpoint_without_a_debugger() {
    let message = finds(
        FindingKind::Abort,
        "int main(void) { if (symex_any_int(8, \"n\") == 7) __builtin_debugtrap(); return 0; }",
    );
    assert!(message.contains("breakpoint"), "{message}");
}

#[test]
fn the_process_and_its_surroundings() {
    holds_if(
        &[
            "no stream was taken to be a terminal",
            "standard input was taken to be empty",
            "the clock was taken to start at a fixed time",
            "the environment variable `HOME` was taken to be unset",
            "the file system was taken to hold nothing but an empty working directory",
        ],
        r#"
        int main(void) {
            CHECK(getenv("HOME") == NULL);
            CHECK(fopen("/etc/passwd", "r") == NULL && errno == ENOENT);
            CHECK(getchar() == EOF);
            char line[8];
            CHECK(fgets(line, 8, stdin) == NULL);
            CHECK(read(0, line, 8) == 0);
            CHECK(!isatty(1));
            struct timespec a, b;
            clock_gettime(CLOCK_MONOTONIC, &a);
            sleep(2);
            clock_gettime(CLOCK_MONOTONIC, &b);
            CHECK(b.tv_sec - a.tv_sec >= 2 && b.tv_sec - a.tv_sec <= 3);
            CHECK(time(NULL) > 1700000000);
            CHECK(sysconf(_SC_PAGESIZE) == 4096);
            if (symex_any_int(1, "b")) symex_exit(0);
            exit(0);
        }"#,
    );
    holds("int main(void) { exit(3); }");
    let message = finds(
        FindingKind::Abort,
        r#"int main(void) { CHECK(symex_any_int(8, "n") != 77); return 0; }"#,
    );
    assert!(message.contains("!= 77"), "{message}");
}

#[test]
fn the_environment_is_what_the_program_makes_it() {
    holds(
        r#"
        int main(void) {
            char value[] = "one";
            CHECK(setenv("B", value, 1) == 0);
            value[0] = 'x';
            CHECK(strcmp(getenv("B"), "one") == 0);
            CHECK(setenv("B", "two", 0) == 0 && strcmp(getenv("B"), "one") == 0);
            static char text[] = "C=three";
            CHECK(putenv(text) == 0 && strcmp(getenv("C"), "three") == 0);
            text[2] = 'T';
            CHECK(strcmp(getenv("C"), "Three") == 0);
            CHECK(setenv("", "x", 1) == -1 && errno == EINVAL);
            CHECK(unsetenv("B") == 0 && getenv("B") == NULL);
            CHECK(clearenv() == 0 && getenv("C") == NULL && getenv("HOME") == NULL);
            return 0;
        }"#,
    );
    let empty = "the environment was taken to be empty";
    holds_if(
        &[empty],
        "extern char **environ; int main(void) { CHECK(!environ || !*environ); return 0; }",
    );
    holds_if(
        &[empty],
        "int main(int argc, char **argv, char **envp) { CHECK(argc == 1 && !*envp); return 0; }",
    );
    holds_if(
        &["random bytes were taken to be fixed ones"],
        "#include <sys/random.h>\nint main(void) { char b[4]; CHECK(getrandom(b, 4, 0) == 4); return 0; }",
    );
}

#[test]
fn threads_of_one() {
    holds(
        r#"
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
        int main(void) {
            CHECK(pthread_mutex_lock(&m) == 0);
            CHECK(pthread_mutex_trylock(&m) == EBUSY);
            CHECK(pthread_mutex_unlock(&m) == 0);
            pthread_mutexattr_t a;
            pthread_mutexattr_init(&a);
            pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
            pthread_mutex_t r;
            pthread_mutex_init(&r, &a);
            CHECK(pthread_mutex_lock(&r) == 0 && pthread_mutex_lock(&r) == 0);
            CHECK(pthread_rwlock_rdlock(&rw) == 0 && pthread_rwlock_tryrdlock(&rw) == 0);
            CHECK(pthread_rwlock_trywrlock(&rw) == EBUSY);
            pthread_key_t k;
            CHECK(pthread_key_create(&k, NULL) == 0);
            CHECK(pthread_getspecific(k) == NULL);
            pthread_setspecific(k, &k);
            CHECK(pthread_getspecific(k) == &k);
            return 0;
        }"#,
    );
    finds(
        FindingKind::Deadlock,
        r#"
        static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        int main(void) { pthread_mutex_lock(&m); pthread_mutex_lock(&m); return 0; }"#,
    );
}

#[test]
fn a_programs_own_function_is_its_own() {
    holds(
        r#"
        __attribute__((noinline)) int isatty(int fd) { return 40 + fd; }
        int main(void) { CHECK(isatty(2) == 42); return 0; }"#,
    );
}

#[test]
fn signals_that_a_program_raises_itself() {
    let prelude = "#include <signal.h>\nstatic int seen; static void note(int n) { seen += n; }\n";
    holds(&format!(
        "{prelude}{}",
        r#"
        int main(void) {
            struct sigaction old, new = { .sa_handler = note };
            CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
            CHECK(sigemptyset(&new.sa_mask) == 0 && sigaddset(&new.sa_mask, SIGINT) == 0);
            CHECK(sigismember(&new.sa_mask, SIGINT) == 1 && sigismember(&new.sa_mask, SIGTERM) == 0);
            CHECK(sigaction(SIGUSR1, &new, NULL) == 0);
            CHECK(raise(SIGUSR1) == 0 && seen == SIGUSR1);
            CHECK(raise(SIGUSR1) == 0 && seen == 2 * SIGUSR1);
            CHECK(signal(SIGUSR1, SIG_IGN) == note && raise(SIGUSR1) == 0 && seen == 2 * SIGUSR1);
            CHECK(signal(SIGKILL, note) == SIG_ERR && errno == EINVAL);
            CHECK(raise(SIGCHLD) == 0);
            return 0;
        }"#
    ));
    let message = finds(
        FindingKind::Abort,
        &format!(
            "{prelude}int main(void) {{ signal(SIGTERM, SIG_DFL); raise(SIGTERM); return 0; }}"
        ),
    );
    assert!(message.contains("15"), "{message}");
}

#[test]
fn what_is_registered_is_called_at_exit() {
    let prelude = r#"
        static int order;
        static void last(void) { if (order != 1) abort(); }
        static void first(void) { order++; }
        static void wrong(void) { abort(); }
    "#;
    holds(&format!(
        "{prelude}int main(void) {{ atexit(last); atexit(first); return symex_any_int(1, \"b\") ? 0 : (exit(0), 1); }}"
    ));
    finds(
        FindingKind::Abort,
        &format!("{prelude}int main(void) {{ atexit(wrong); exit(0); }}"),
    );
    finds(
        FindingKind::Abort,
        &format!("{prelude}int main(void) {{ atexit(wrong); return 0; }}"),
    );
    holds(&format!(
        "{prelude}int main(void) {{ atexit(wrong); _exit(0); }}"
    ));
}
