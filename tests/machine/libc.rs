//! Tests of programs linked with the C library in bitcode, which must behave as natively. The
//! library is made from musl's source, which is fetched once.

use crate::support::{Crate, Run, TMPDIR, build_natively, bytes, limited, paths, workspace};
use libtest_mimic::Trial;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// Tests with the library, under the names of their functions.
macro_rules! trials {
    ($($test:ident,)*) => {
        vec![$(crate::trial(format!("libc::{}", stringify!($test)), library, $test)),*]
    };
}

pub fn trials() -> Vec<Trial> {
    trials![
        functions_say_of_known_values_what_they_say_natively,
        everything_the_library_calls_is_known,
        symbolic_values_go_through_the_library,
        what_the_library_does_not_know_better_is_said,
        a_function_of_the_programs_own_comes_first,
        a_crate_is_linked_with_it_too,
    ]
}

/// Returns a directory that contains the library; an error if musl's source cannot be obtained.
fn library() -> Result<&'static str, String> {
    static LIBRARY: OnceLock<Result<String, String>> = OnceLock::new();
    let library = LIBRARY.get_or_init(|| {
        let place = Path::new(TMPDIR).join("libc").display().to_string();
        let tree = Crate::files("libc-library", &[]);
        let run = tree.symex_with(&["setup", "--libc"], &[("SYMEX_LIBC_DIR", &place)]);
        if run.stderr.contains("could not be fetched") {
            return Err("the source of musl could not be fetched".to_owned());
        }
        run.code(0);
        Ok(place)
    });
    library.as_deref().map_err(String::clone)
}

/// Explores a program of one file with the library.
fn explore(library: &str, name: &str, source: &str, options: &[&str]) -> Run {
    let tree = Crate::files(&format!("libc-{name}"), &[("program.c", source)]);
    let args = [&["c", "program.c", "--message-format", "json"], options].concat();
    tree.symex_with(&args, &[("SYMEX_LIBC_DIR", library)])
}

/// Returns the output of the only path of a program, and of a native run.
fn outputs(library: &str, source: &Path) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = build_natively(source, folder.path());
    let native = limited::output(Command::new(&program).env_clear());
    assert!(native.status.success());
    let log = folder.path().join("paths").display().to_string();
    let source = source.display().to_string();
    let tree = Crate::files("libc-outputs", &[]);
    let args = ["c", &source, "--paths-to", &log, "--", "-w"];
    tree.symex_with(&args, &[("SYMEX_LIBC_DIR", library)])
        .code(0);
    let paths = paths(Path::new(&log));
    assert_eq!(paths.len(), 1, "{paths:#?}");
    let explored = bytes(&paths[0]["stdout"]);
    (
        String::from_utf8_lossy(&explored).into_owned(),
        String::from_utf8_lossy(&native.stdout).into_owned(),
    )
}

fn functions_say_of_known_values_what_they_say_natively(library: &str) {
    let source = workspace().join("tests/machine/libc/known.c");
    let (explored, native) = outputs(library, &source);
    assert_eq!(explored, native);
    assert!(native.lines().count() > 10, "{native}");
}

fn everything_the_library_calls_is_known(library: &str) {
    let tree = Crate::files("libc-describe", &[]);
    let run = tree
        .symex_with(&["setup"], &[("SYMEX_LIBC_DIR", library)])
        .code(0);
    assert!(run.stdout.contains("there: musl 1.2.3, "), "{}", run.stdout);
    assert_eq!(run.stdout.lines().count(), 1, "{}", run.stdout);
    // An existing library is not built again, unless requested.
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

fn symbolic_values_go_through_the_library(library: &str) {
    let run = explore(library, "sorted", SORTED, &["--", "-DBAD=0"]).code(0);
    assert_eq!(run.verdict(), "pass (complete)");
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
    assert_eq!(run.verdict(), "pass (complete)");
    let wrong = date.replace("tm_mon > 11", "tm_mon == 11");
    let run = explore(library, "december", &wrong, &[]).code(1);
    assert!(run.stdout.contains("confirmed"), "{}", run.stdout);
}

fn what_the_library_does_not_know_better_is_said(library: &str) {
    let local = r#"
        #include <time.h>
        int main(void) { time_t t = 0; return localtime(&t)->tm_year != 70; }"#;
    let run = explore(library, "local", local, &["--check-status"]).code(0);
    assert_eq!(
        run.verdict(),
        "pass (bounded: local time was taken to be UTC, the environment variable `TZ` was taken to be unset)"
    );
    let flag = r#"
        #define _GNU_SOURCE
        #include <fnmatch.h>
        int main(void) { return fnmatch("@(a|b)", "a", FNM_EXTMATCH); }"#;
    let run = explore(library, "flag", flag, &[]).code(3);
    assert_eq!(
        run.verdict(),
        "inconclusive (a flag of fnmatch that is not known)"
    );
}

fn a_function_of_the_programs_own_comes_first(library: &str) {
    let own = r#"
        #include <stdlib.h>
        int strverscmp(const char *a, const char *b) { return 42; }
        int main(void) { if (strverscmp("a", "b") != 42) abort(); return 0; }"#;
    let run = explore(library, "own", own, &[]).code(0);
    assert_eq!(run.verdict(), "pass (complete)");
}

fn a_crate_is_linked_with_it_too(library: &str) {
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
    assert_eq!(run.verdict(), "pass (complete)");
    assert!(
        run.stdout.contains(r#""library":["a64l"]"#),
        "{}",
        run.stdout
    );
    let without = tree.symex(&["--message-format", "json"]).code(3);
    assert_eq!(
        without.verdict(),
        "inconclusive (no model of `a64l`; `cargo symex setup --libc` may provide it)"
    );
}
