//! The C library in bitcode: how it is set up, and that programs linked with it do what they do natively. The library is
//! made from musl's source, which is fetched once; where there is no network, what needs it is left out, and says so.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use support::{Crate, Run, limited};

/// A directory with the library in it; `None` where musl's source cannot be had.
fn library() -> Option<&'static str> {
    static LIBRARY: OnceLock<Option<String>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libc");
        let place = place.display().to_string();
        let tree = Crate::files("libc-library", &[]);
        let run = tree.symex_with(&["setup", "--libc"], &[("SYMEX_LIBC_DIR", &place)]);
        if run.stderr.contains("could not be fetched") {
            eprintln!("left out: {}", run.stderr);
            return None;
        }
        run.code(0);
        Some(place)
    });
    library.as_deref()
}

/// A program of one file, explored with the library.
fn explore(library: &str, name: &str, source: &str, options: &[&str]) -> Run {
    let tree = Crate::files(&format!("libc-{name}"), &[("program.c", source)]);
    let args = [&["c", "program.c", "--message-format", "json"], options].concat();
    tree.symex_with(&args, &[("SYMEX_LIBC_DIR", library)])
}

fn verdict(run: &Run) -> String {
    let lines = run.json();
    let finished = lines.iter().find(|line| line["type"] == "harness-finished");
    let text = finished.expect("a verdict")["verdict_text"].as_str();
    text.expect("a text").to_owned()
}

/// What the only path of a program writes, and what a native run does.
fn outputs(library: &str, source: &Path) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program");
    let mut clang = Command::new("clang-22");
    limited::succeed(
        clang
            .args(["-O1", "-w", "-o"])
            .arg(&program)
            .arg(source)
            .arg("-lm"),
    );
    let native = limited::output(Command::new(&program).env_clear());
    assert!(native.status.success());
    let log = folder.path().join("paths");
    let (log, source) = (log.display().to_string(), source.display().to_string());
    let tree = Crate::files("libc-outputs", &[]);
    let args = ["c", &source, "--paths-to", &log, "--", "-w"];
    tree.symex_with(&args, &[("SYMEX_LIBC_DIR", library)])
        .code(0);
    let paths = std::fs::read_to_string(&log).expect("the paths");
    let path: Value = serde_json::from_str(&paths).expect("one path");
    let bytes = path["stdout"].as_array().expect("bytes").iter();
    let bytes: Vec<u8> = bytes
        .map(|byte| byte.as_u64().expect("a byte") as u8)
        .collect();
    (
        String::from_utf8_lossy(&bytes).into_owned(),
        String::from_utf8_lossy(&native.stdout).into_owned(),
    )
}

#[test]
fn functions_say_of_known_values_what_they_say_natively() {
    let Some(library) = library() else { return };
    let source: PathBuf = support::workspace().join("tests/libc/known.c");
    let (explored, native) = outputs(library, &source);
    assert_eq!(explored, native);
    assert!(native.lines().count() > 10, "{native}");
}

#[test]
fn everything_the_library_calls_is_known() {
    let Some(library) = library() else { return };
    let tree = Crate::files("libc-describe", &[]);
    let run = tree
        .symex_with(&["setup"], &[("SYMEX_LIBC_DIR", library)])
        .code(0);
    assert!(run.stdout.contains("there: musl 1.2.3, "), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    // Nothing is made a second time, unless it is asked for.
    let again = tree.symex_with(&["setup", "--libc"], &[("SYMEX_LIBC_DIR", library)]);
    let again = again.code(0);
    assert!(again.stdout.contains("there already"), "{}", again.stdout);
}

const SORTED: &str = r#"
#include <stdlib.h>
#include <symex.h>
static int compare(const void *a, const void *b) {
    return *(const unsigned char *)a - *(const unsigned char *)b;
}
int main(void) {
    unsigned char some[4];
    symex_make_symbolic(some, sizeof some, "some");
    qsort(some, 4, 1, compare);
    if (some[0] > some[1] || some[1] > some[2] || some[2] > some[3]) abort();
    if (BAD && some[0] == 7 && some[3] == 9) abort();
    return 0;
}"#;

#[test]
fn symbolic_values_go_through_the_library() {
    let Some(library) = library() else { return };
    let run = explore(library, "sorted", SORTED, &["--", "-DBAD=0"]).code(0);
    assert_eq!(verdict(&run), "pass (complete)");
    let run = explore(library, "unsorted", SORTED, &["--", "-DBAD=1"]).code(1);
    assert!(run.stdout.contains("confirmed"), "{}", run.stdout);
    let date = r#"
        #define _GNU_SOURCE
        #include <stdlib.h>
        #include <symex.h>
        #include <time.h>
        int main(void) {
            char text[9] = "2024-00-0";
            symex_make_symbolic(text + 5, 2, "month");
            text[7] = '-', text[8] = 0;
            struct tm date = {0};
            if (strptime(text, "%Y-%m-", &date) && date.tm_mon > 11) abort();
            return 0;
        }"#;
    let run = explore(library, "date", date, &[]).code(0);
    assert_eq!(verdict(&run), "pass (complete)");
    let wrong = date.replace("tm_mon > 11", "tm_mon == 11");
    let run = explore(library, "december", &wrong, &[]).code(1);
    assert!(run.stdout.contains("confirmed"), "{}", run.stdout);
}

#[test]
fn what_the_library_does_not_know_better_is_said() {
    let Some(library) = library() else { return };
    let local = r#"
        #include <time.h>
        int main(void) { time_t t = 0; return localtime(&t)->tm_year != 70; }"#;
    let run = explore(library, "local", local, &["--check-status"]).code(0);
    assert_eq!(
        verdict(&run),
        "pass (bounded: local time was taken to be UTC, the environment variable `TZ` was taken to be unset)"
    );
    let flag = r#"
        #define _GNU_SOURCE
        #include <fnmatch.h>
        int main(void) { return fnmatch("@(a|b)", "a", FNM_EXTMATCH); }"#;
    let run = explore(library, "flag", flag, &[]).code(3);
    assert_eq!(
        verdict(&run),
        "inconclusive (a flag of fnmatch that is not known)"
    );
}

#[test]
fn a_function_of_the_programs_own_comes_first() {
    let Some(library) = library() else { return };
    let own = r#"
        #include <stdlib.h>
        int strverscmp(const char *a, const char *b) { return 42; }
        int main(void) { if (strverscmp("a", "b") != 42) abort(); return 0; }"#;
    let run = explore(library, "own", own, &[]).code(0);
    assert_eq!(verdict(&run), "pass (complete)");
}

#[test]
fn a_crate_is_linked_with_it_too() {
    let Some(library) = library() else { return };
    let source = r#"
        #[cfg(test)]
        mod tests {
            unsafe extern "C" {
                fn a64l(text: *const std::ffi::c_char) -> std::ffi::c_long;
            }
            #[symex::harness]
            fn digits(digit: u8) {
                symex::assume(digit != 0);
                let text = [digit, 0];
                let value = unsafe { a64l(text.as_ptr().cast()) };
                assert!(value < 64);
            }
        }"#;
    let tree = Crate::library("libc-crate", source);
    let run = tree.symex_with(
        &["--message-format", "json"],
        &[("SYMEX_LIBC_DIR", library)],
    );
    let run = run.code(0);
    assert_eq!(verdict(&run), "pass (complete)");
    assert!(
        run.stdout.contains(r#""library":["a64l"]"#),
        "{}",
        run.stdout
    );
    let without = tree.symex(&["--message-format", "json"]).code(3);
    assert_eq!(
        verdict(&without),
        "inconclusive (no model of `a64l`; `cargo symex setup --libc` may provide it)"
    );
}

#[test]
fn without_it_the_gap_names_the_command_only_where_it_helps() {
    let calls = r#"
        void unknown(void); int tdestroy(void *, void (*)(void *));
        int main(void) { if (WHICH) unknown(); else tdestroy(0, 0); return 0; }"#;
    let tree = Crate::files("libc-without", &[("f.c", calls)]);
    let run = tree.symex(&["c", "f.c", "--", "-DWHICH=0"]).code(3);
    let hint = "no model of `tdestroy`; `cargo symex setup --libc` may provide it";
    assert!(run.stdout.contains(hint), "{}", run.stdout);
    let run = tree.symex(&["c", "f.c", "--", "-DWHICH=1"]).code(3);
    assert!(
        run.stdout.contains("no model of `unknown`"),
        "{}",
        run.stdout
    );
    assert!(!run.stdout.contains("setup --libc"), "{}", run.stdout);
}

#[test]
fn functions_that_call_back_need_no_setup() {
    let program = r#"
        #include <assert.h>
        #include <stdlib.h>
        #include <symex.h>
        static int compare(const void *a, const void *b) { return *(signed char *)a - *(signed char *)b; }
        int main(void) {
            signed char x[3], key;
            symex_make_symbolic(x, sizeof x, "x");
            key = x[0];
            qsort(x, 3, 1, compare);
            assert(x[0] <= x[1] && x[1] <= x[2]);
            assert(bsearch(&key, x, 3, 1, compare));
            return 0;
        }"#;
    let tree = Crate::files("libc-built-in", &[("sorts.c", program)]);
    let libraries = tempfile::tempdir().expect("a directory");
    let place = libraries.path().join("new").display().to_string();
    for _ in 0..2 {
        let run = tree.symex_with(&["c", "sorts.c"], &[("SYMEX_LIBC_DIR", &place)]);
        let run = run.code(0);
        assert!(
            run.stdout.contains("main ... pass (complete)"),
            "{}",
            run.stdout
        );
    }
    // It is none of those that are set up.
    let run = tree.symex_with(&["setup"], &[("SYMEX_LIBC_DIR", &place)]);
    assert!(run.code(0).stdout.contains("not there"));
    // Without a place to keep it, the functions are not known.
    let run = tree.symex_with(&["c", "sorts.c"], &[("SYMEX_LIBC_DIR", "")]);
    assert!(run.code(3).stdout.contains("no model of `qsort`"));
}

#[test]
fn a_setup_that_cannot_be_says_why() {
    let tree = Crate::files(
        "libc-refused",
        &[("musl.tar.gz", "no archive"), ("tree/VERSION", "9")],
    );
    let place = tree.path().join("libc").display().to_string();
    let set_up = |args: &[&str]| {
        let args = [&["setup", "--libc"], args].concat();
        tree.symex_with(&args, &[("SYMEX_LIBC_DIR", place.as_str())])
    };
    for (from, message) in [
        ("nowhere", "reading nowhere: "),
        (
            "musl.tar.gz",
            "musl.tar.gz: it is no archive that tar can unpack",
        ),
        ("tree", "tree: it is not the source of musl"),
    ] {
        set_up(&["--from", from]).code(2).error(message);
    }
    let none = tree.symex(&["setup", "--libc"]).code(2);
    none.error("failed to find a directory for the C library");
    tree.symex(&["setup", "--from", "tree"]).code(2);
    let run = tree
        .symex_with(&["setup"], &[("SYMEX_LIBC_DIR", place.as_str())])
        .code(0);
    assert!(run.stdout.contains("not there"), "{}", run.stdout);
    // Nothing is left of what failed.
    assert!(!tree.exists("libc"));
}

#[test]
fn a_variable_that_nothing_defines_keeps_a_pass_from_being_complete() {
    let reads = r#"
        extern int signgam, *other;
        static int **kept = &other;
        int main(void) { return kept == 0 || signgam; }"#;
    let tree = Crate::files("libc-variable", &[("f.c", reads)]);
    let run = tree.symex(&["c", "f.c", "--check-status", "--message-format", "json"]);
    assert_eq!(
        verdict(&run.code(0)),
        "pass (bounded: `other`, which nothing defines, was taken to hold zeros, \
         `signgam`, which nothing defines, was taken to hold zeros)"
    );
    let known = r#"
        #include <stdio.h>
        int main(void) { return stdout == stderr; }"#;
    let tree = Crate::files("libc-streams", &[("f.c", known)]);
    let run = tree.symex(&["c", "f.c", "--check-status", "--message-format", "json"]);
    assert_eq!(verdict(&run.code(0)), "pass (complete)");
}
