//! Tests of setting up the C library in bitcode, and of the built-in library. Programs linked with
//! the full library are tested in `tests/machine`, because it has to be fetched.

use crate::support::Crate;

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
    // The built-in library does not count as set up.
    let run = tree.symex_with(&["setup"], &[("SYMEX_LIBC_DIR", &place)]);
    assert!(run.code(0).stdout.contains("not there"));
    // Without a directory for the library, the functions are undefined.
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
    // A failed setup leaves no files.
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
        run.code(0).verdict(),
        "pass (bounded: `other`, which nothing defines, was taken to hold zeros, \
         `signgam`, which nothing defines, was taken to hold zeros)"
    );
    let known = r#"
        #include <stdio.h>
        int main(void) { return stdout == stderr; }"#;
    let tree = Crate::files("libc-streams", &[("f.c", known)]);
    let run = tree.symex(&["c", "f.c", "--check-status", "--message-format", "json"]);
    assert_eq!(run.code(0).verdict(), "pass (complete)");
}
