//! Tests of input that is no program, and of incomplete programs.

use super::running::{SIGABRT, Said, aborted, begins, c, follow, left_behind};
use crate::support::Crate;

#[test]
fn bad_input_is_one_clear_error() {
    let files = [
        ("broken.c", "int main(void) { return x; }\n"),
        (
            "header.c",
            "#include <no_such_header.h>\nint main(void) { return 0; }\n",
        ),
        (
            "library.c",
            "int start(void) { return 0; }\nint twice(int x) { return 2 * x; }\n",
        ),
        ("text.txt", "nothing to execute"),
        (
            "static.c",
            "static int main2(void) { return 0; }\nint main(void) { return main2(); }\n",
        ),
    ];
    let tree = Crate::files("c_bad", &files);
    for (args, code, error, more) in [
        (
            &["broken.c"][..],
            101,
            "failed to compile the source",
            "undeclared identifier 'x'",
        ),
        (
            &["header.c"],
            101,
            "failed to compile the source",
            "'no_such_header.h' file not found",
        ),
        (&["none.c"], 2, "failed to read none.c", "No such file"),
        (
            &["library.c"],
            2,
            "failed to find a defined function `main`",
            "functions without parameters are: start",
        ),
        (
            &["library.c", "--entry", "twice"],
            2,
            "failed to call `twice`",
            "1 parameter",
        ),
        (
            &["library.c", "--entry", "nobody"],
            2,
            "failed to find a defined function `nobody`",
            "start",
        ),
        (
            &["text.txt"],
            2,
            "text.txt",
            "neither bitcode nor an object file",
        ),
        (
            &["static.c", "--", "--no-such-flag"],
            101,
            "failed to compile the source",
            "--no-such-flag",
        ),
        (&["."], 2, "", "."),
    ] {
        let run = tree.symex(&c(args)).code(code).error(error);
        assert!(run.stderr.contains(more), "{args:?}: {}", run.stderr);
        let errors = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("error: "));
        assert_eq!(errors.count(), 1, "{args:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{args:?}");
        let json = [&["c", "--message-format", "json"][..], args].concat();
        let said = Said::of(&tree.symex(&json).code(code));
        assert_eq!(said.line("error")["exit_code"], code, "{args:?}");
    }
    tree.symex(&["c"]).code(2);
    assert!(!tree.exists("symex-regressions"));
}

#[test]
fn a_function_that_nothing_defines_matters_where_it_is_reached() {
    let source = r#"#include <symex.h>
#include <stdlib.h>
int nobody(int);
int main(void) {
    unsigned char x;
    symex_make_symbolic(&x, 1, "x");
    symex_assume(x != REFUSED);
    if (x == 9) nobody(x);
    if (x == ABORTED) abort();
    return 0;
}
"#;
    let tree = Crate::files("c_nobody", &[("f.c", source)]);
    let run = tree
        .symex(&["c", "f.c", "--", "-DREFUSED=3", "-DABORTED=3"])
        .code(3);
    begins(&run, "main ... inconclusive (no model of `nobody`)");
    let run = tree
        .symex(&["c", "f.c", "--", "-DREFUSED=9", "-DABORTED=9"])
        .code(0);
    begins(&run, "main ... pass (complete)");
    // A finding on another path is confirmed all the same.
    let run = tree
        .symex(&["c", "f.c", "--", "-DREFUSED=9", "-DABORTED=11"])
        .code(1);
    aborted(&run);
    let files = left_behind(&tree, "f");
    follow(&tree, &files[0]).code(SIGABRT);
}
