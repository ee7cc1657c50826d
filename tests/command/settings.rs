//! Tests of settings of an exploration, and of program features that change it: small programs in
//! C, from the command line.

use crate::support::{self, finish, symex};
use serde_json::Value;

/// Explores a program with these flags; returns the `harness-finished` object.
fn explore(text: &str, flags: &[&str]) -> Value {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.c");
    let prelude = "#include <stdint.h>\n#include <stdlib.h>\n\
        void symex_make_symbolic(void *, size_t, const char *);\n";
    std::fs::write(&file, format!("{prelude}{text}")).expect("the source is written");
    let mut command = symex(["bitcode", "--message-format", "json"]);
    command.current_dir(folder.path()).args(flags).arg(&file);
    finish(command).only()
}

fn verdict(finished: &Value) -> &str {
    finished["verdict_text"].as_str().expect("a verdict")
}

/// A search word by word, as C libraries implement it; the string ends in the middle of a word.
const WORDS: &str = r#"

    __attribute__((noinline)) char *strchr(const char *s, int c) {
        typedef uint64_t __attribute__((may_alias)) word;
        for (; (uintptr_t)s % 8; s++) if (!*s || *s == (char)c) return *s == (char)c ? (char *)s : 0;
        for (word w; w = *(const word *)s, !((w - 0x0101010101010101) & ~w & 0x8080808080808080); s += 8)
            for (int i = 0; i < 8; i++) if (s[i] == (char)c) return (char *)s + i;
        for (; *s; s++) if (*s == (char)c) return (char *)s;
        return c ? 0 : (char *)s;
    }
    int main(void) {
        unsigned char at;
        symex_make_symbolic(&at, 1, "at");
        char *text = malloc(4);
        if (!text || at > 2) return 0;
        for (int i = 0; i < 3; i++) text[i] = 'a';
        text[3] = 0;
        text[at] = '=';
        if (strchr(text, '=') != text + at) abort();
        return 0;
    }"#;

#[test]
fn a_c_library_of_the_programs_own_may_read_words() {
    let own = explore(WORDS, &["--cflag=-fno-builtin"]);
    assert_eq!(verdict(&own), "bug");
    let kinds = support::kinds(&own);
    assert_eq!(kinds, ["out-of-bounds"], "the program's own function");
    let with_library =
        format!("int *__errno_location(void) {{ static int e; return &e; }} {WORDS}");
    let finished = explore(&with_library, &["--cflag=-fno-builtin"]);
    assert_eq!(verdict(&finished), "pass (complete)", "{finished}");
}

#[test]
fn memory_may_be_taken_for_zeros() {
    let program = r#"
        int main(void) {
            int *p = malloc(8), local[2];
            if (!p) return 0;
            symex_make_symbolic(&local[0], 4, "local");
            if (p[1] != 0 || local[1] != 0) abort();
            p[0] = 1;
            if (p[0] + p[1] != 1) abort();
            return 0;
        }"#;
    let strict = explore(program, &["--cflag=-O0"]);
    assert!(support::kinds(&strict).contains(&"uninit-use"), "{strict}");
    let zeroed = explore(program, &["--cflag=-O0", "--zeroed"]);
    assert_eq!(
        verdict(&zeroed),
        "pass (bounded: memory that nothing was written to was taken to be zero)"
    );
}

#[test]
fn an_exit_status_is_a_bug_where_that_is_asked_for() {
    let program = r#"
        int main(void) {
            char c;
            symex_make_symbolic(&c, 1, "c");
            if (c == 'e') exit(3);
            return c == 'r';
        }"#;
    let any = explore(program, &[]);
    assert_eq!(verdict(&any), "pass (complete)", "{any}");
    let zero = explore(program, &["--check-status"]);
    let findings = zero["findings"].as_array().expect("findings");
    let mut messages: Vec<&str> = findings
        .iter()
        .filter_map(|f| f["message"].as_str())
        .collect();
    messages.sort_unstable();
    assert_eq!(messages, ["exit(1)", "exit(3)"], "{zero}");
}

/// A program with a bug, and 2^10 paths without anything new.
const MANY_PATHS: &str = r#"
    int main(void) {
        unsigned char bits[11];
        symex_make_symbolic(bits, sizeof bits, "bits");
        if (bits[10] == 7) abort();
        volatile int sum = 0;
        for (int i = 0; i < 10; i++) if (bits[i] & 1) sum += i;
        return 0;
    }"#;

#[test]
fn after_a_bug_nothing_new_ends_the_exploration() {
    let paths = |finished: &Value| finished["stats"]["paths"].as_u64().expect("paths");
    let all = explore(MANY_PATHS, &["--after-bug", "none"]);
    assert_eq!((verdict(&all), paths(&all)), ("bug", 1025));
    let few = explore(MANY_PATHS, &["--after-bug", "100"]);
    assert!((100..200).contains(&paths(&few)), "{}", paths(&few));
    let cuts = few["bounds"].to_string();
    assert!(cuts.contains(r#""kind":"nothing-new""#), "{cuts}");
    // Without a bug the limit does not apply.
    let right = MANY_PATHS.replace("== 7) abort()", "== 7) return 0");
    let right = explore(&right, &["--after-bug", "100"]);
    assert_eq!((verdict(&right), paths(&right)), ("pass (complete)", 1025));
}
