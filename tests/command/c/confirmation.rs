//! Tests of the confirmation of findings by native runs, and of the reproducers.

use serde_json::Value;
use std::process::Command;

use super::running::{
    SIGABRT, SIGILL, Said, aborted, begins, c, follow, json, left_behind, shows, told,
};
use crate::support::{Crate, clang, finish, has_sanitizer};

const PARSER: &str = r#"#include <stdlib.h>
int check(const unsigned char *p, int n) {
    if (n == MAGIC && p[0] == 'K' && p[3] == 0x1f) abort();
    return n;
}
"#;

const MAIN: &str = r#"#include <symex.h>
#include <string.h>
int check(const unsigned char *p, int n);
int main(int argc, char **argv) {
    unsigned char packet[4];
    symex_make_symbolic(packet, sizeof packet, "packet");
    int n = symex_range(-5, 300, "n");
    symex_assume(packet[1] != 0);
    if (argc == 3 && !strcmp(argv[2], "it's on")) check(packet, n);
    return 0;
}
"#;

const ABORTS: [&str; 8] = [
    "parser.c",
    "main.c",
    "--arg",
    "-v",
    "--arg",
    "it's on",
    "--",
    "-DMAGIC=-3",
];

fn aborting(name: &str) -> Crate {
    Crate::files(name, &[("parser.c", PARSER), ("main.c", MAIN)])
}

#[test]
fn a_finding_is_confirmed_and_its_reproducer_runs_without_the_tool() {
    let tree = aborting("c_reproducer");
    let run = tree.symex(&c(&ABORTS)).code(1);
    aborted(&run);
    let files = left_behind(&tree, "parser");
    let [file] = files.as_slice() else {
        panic!("{files:?}")
    };
    assert!(file.starts_with("symex-regressions/parser/main_abort_") && file.ends_with(".c"));
    let text = tree.read(file);
    assert!(
        text.contains("/* n: 4 bytes, 4294967293, or -3 */"),
        "{text}"
    );
    assert!(
        text.starts_with("/*\n * abort: the program aborts at parser.c:3 (killed by SIGABRT)"),
        "{text}"
    );
    follow(&tree, file).code(SIGABRT);

    // An existing file is not written again, even if edited; a deleted one is.
    let edited = format!("{text}/* mine */\n");
    tree.write(file, &edited);
    let again = tree.symex(&c(&ABORTS)).code(1);
    shows(&again, &format!("is in {file}"));
    assert_eq!(tree.read(file), edited);
    std::fs::remove_file(tree.path().join(file)).expect("removed");
    tree.symex(&c(&ABORTS)).code(1);
    assert_eq!(tree.read(file), text);

    // Where the program is right, the reproducer ends well: the assertion of a regression test.
    tree.write(
        "parser.c",
        "int check(const unsigned char *p, int n) { return n + p[0]; }\n",
    );
    follow(&tree, file).code(0);
    tree.symex(&c(&ABORTS)).code(0);
    // And where its inputs are no longer accepted, it says so.
    tree.write("main.c", &MAIN.replace("packet[1] != 0", "packet[0] == 3"));
    let narrowed = follow(&tree, file).code(86);
    assert_eq!(narrowed.stderr, "symex: an assumption does not hold\n");
}

#[test]
fn nothing_is_written_where_that_is_not_wanted() {
    let tree = aborting("c_not_written");
    let shown = tree.symex_with(&c(&ABORTS), &[("CI", "true")]).code(1);
    shows(&shown, "not written: the variable CI is set");
    shows(&shown, "symex_inputs[] = {");
    let never = [&["--write-tests", "never"][..], &ABORTS].concat();
    let silent = tree.symex(&c(&never)).code(1);
    assert!(!silent.stdout.contains("= test:"), "{}", silent.stdout);
    let unseen = [&["--replay=off"][..], &ABORTS].concat();
    let unseen = tree.symex(&c(&unseen)).code(1);
    shows(&unseen, "= not replayed: --replay=off");
    assert!(!tree.exists("symex-regressions"));
    let always = [&["--write-tests", "always"][..], &ABORTS].concat();
    tree.symex_with(&c(&always), &[("CI", "true")]).code(1);
    assert_eq!(left_behind(&tree, "parser").len(), 1);
}

#[test]
fn the_first_of_two_findings_is_told_from_the_second() {
    let source = r#"#include <symex.h>
#include <stdlib.h>
int main(void) {
    unsigned x;
    symex_make_symbolic(&x, sizeof x, "x");
    if (x == 77) exit(3);
    if (x == 78) { volatile int *p = 0; return *p; }
    return 0;
}
"#;
    let tree = Crate::files("c_two", &[("two.c", source)]);
    let said = json(&tree, &["two.c", "--check-status"]);
    assert_eq!(said.verdict(), "bug");
    let told: Vec<(&str, &Value)> = said
        .findings()
        .into_iter()
        .map(|line| (line["kind"].as_str().expect("a kind"), &line["replay"]))
        .collect();
    let [("exit-code", exit), ("null-access", null)] = told.as_slice() else {
        panic!("{told:?}")
    };
    assert_eq!(exit["how"]["code"], 3);
    assert_eq!(null["status"], "confirmed", "{null}");
    let files = left_behind(&tree, "two");
    assert_eq!(files.len(), 2, "{files:?}");
    follow(&tree, &files[0]).code(3);
}

#[test]
fn a_finding_that_must_show_natively_and_does_not_is_no_bug() {
    // The engine reads the program as an optimising compiler does, the native one is not optimised.
    let source = "#include <stdlib.h>\nint main(void) {\n#ifdef __OPTIMIZE__\n  abort();\n#endif\n  return 0;\n}\n";
    let tree = Crate::files("c_refuted", &[("f.c", source)]);
    let run = tree.symex(&["c", "f.c"]).code(3);
    begins(
        &run,
        "main ... inconclusive (abort not reproduced natively)",
    );
    shows(&run, "= not reproduced natively: the native run ends well");
    assert!(!tree.exists("symex-regressions"));
}

#[test]
fn silent_memory_errors_stay_bugs_and_their_exit_code_confirms_nothing() {
    let source = r#"#include <symex.h>
#include <stdlib.h>
int main(void) {
    unsigned i;
    symex_make_symbolic(&i, sizeof i, "i");
    symex_assume(i <= 4);
    char *p = calloc(4, 1);
    if (!p) return 0;
    volatile char c = p[i];
    (void)c;
    if (i == 4) exit(5);
    free(p);
    return 0;
}
"#;
    let tree = Crate::files("c_silent", &[("f.c", source)]);
    let said = json(&tree, &["f.c"]);
    assert_eq!(said.verdict(), "bug");
    let findings = said.findings();
    let [finding] = findings.as_slice() else {
        panic!("{findings:?}")
    };
    assert_eq!(finding["kind"], "out-of-bounds");
    let replay = &finding["replay"];
    // Whether it shows depends on whether clang's AddressSanitizer is installed.
    if replay["status"] == "confirmed" {
        assert_eq!(
            replay["how"]["report"],
            "AddressSanitizer: heap-buffer-overflow"
        );
    } else {
        let reason = "undefined behaviour may be silent; the native run ends with exit code 5";
        assert_eq!(replay["reason"], reason);
    }
}

#[test]
fn a_local_variable_that_has_ended_is_the_same_fault_by_two_names() {
    if !has_sanitizer() {
        return;
    }
    let source = r#"#include <symex.h>
static int *stale(void) {
    int of_this_call[4] = {1, 2, 3, 4};
    int *volatile p = of_this_call;
    return p;
}
int main(void) {
    unsigned i = symex_range(0, 4, "i");
    return stale()[i] == 3;
}
"#;
    let tree = Crate::files("c_ended", &[("f.c", source)]);
    let said = json(&tree, &["f.c"]);
    let findings = said.findings();
    assert_eq!(findings[0]["kind"], "uninit-use");
    let replay = &findings[0]["replay"];
    let report = "AddressSanitizer: stack-use-after-return";
    assert_eq!(replay["how"]["report"], report, "{replay}");
}

#[test]
fn other_entries_and_the_names_of_other_tools_are_replayed() {
    let source = r#"#include <assert.h>
int klee_range(int, int, const char *);
void klee_assume(unsigned long);
unsigned short __VERIFIER_nondet_ushort(void);
_Bool __VERIFIER_nondet_bool(void);
void nobody(void);
int check(void) {
    int n = klee_range(1, 9, "n");
    klee_assume(n != 3);
    unsigned short s = __VERIFIER_nondet_ushort();
    _Bool b = __VERIFIER_nondet_bool();
    assert(n * s != 35 || !b);
    return 1;
}
int main(void) { nobody(); return 0; }
"#;
    let tree = Crate::files("c_entry", &[("f.c", source)]);
    let run = tree.symex(&["c", "f.c", "--entry", "check"]).code(1);
    aborted(&run);
    let files = left_behind(&tree, "f");
    assert_eq!(files.len(), 1, "{files:?}");
    let failed = follow(&tree, &files[0]).code(SIGABRT);
    assert!(
        failed
            .stderr
            .contains("Assertion `n * s != 35 || !b' failed"),
        "{}",
        failed.stderr
    );
}

#[test]
fn cxx_is_replayed_as_cxx() {
    let source = r#"#include <symex.h>
#include <vector>
struct Table {
    std::vector<int> values{4, 5, 6};
    int sum(int x) const { int all = x; for (int v : values) all += v; return all; }
};
int main() {
    int x;
    symex_make_symbolic(&x, sizeof x, "x");
    symex_assume(x > 0x7ffffff0);
    return Table().sum(x) == 3;
}
"#;
    let tree = Crate::files("cxx", &[("table.cpp", source)]);
    let said = json(&tree, &["table.cpp", "--", "-std=c++17"]);
    let found: Vec<String> = said.findings().into_iter().map(told).collect();
    assert_eq!(
        found,
        [
            "arithmetic-overflow: signed integer addition overflow in 'all += v' at 5:66, confirmed by \"SIGILL\""
        ]
    );
    let files = left_behind(&tree, "table");
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(files[0].ends_with(".cpp"));
    follow(&tree, &files[0]).code(SIGILL);
}

#[test]
fn bitcode_objects_and_archives_are_replayed() {
    let tree = aborting("c_compiled");
    let clang = |args: &[&str]| {
        let mut command = clang();
        command.args(args).current_dir(tree.path());
        command.args(["-isystem", symex::C_HEADERS, "-DMAGIC=7", "-c"]);
        finish(command).code(0);
    };
    clang(&["-emit-llvm", "parser.c", "-o", "parser.bc"]);
    clang(&["-emit-llvm", "-S", "main.c", "-o", "main.ll"]);
    clang(&["-flto", "parser.c", "-o", "parser.o"]);
    clang(&["-emit-llvm", "parser.c", "-o", "other"]);
    let mut archive = Command::new("llvm-ar-22");
    archive.args(["rcs", "libparser.a", "parser.o"]);
    finish({
        archive.current_dir(tree.path());
        archive
    })
    .code(0);
    for files in [
        ["parser.bc", "main.ll"],
        ["main.c", "parser.o"],
        ["main.ll", "libparser.a"],
        ["other", "main.c"],
    ] {
        let mut args = vec!["bitcode", "--message-format", "json"];
        args.extend(files);
        args.extend(["--", "-v", "it's on"]);
        let said = Said::of(&tree.symex(&args).code(1));
        let replays: Vec<&Value> = said.findings().iter().map(|line| &line["replay"]).collect();
        assert_eq!(replays.len(), 1, "{files:?}");
        assert_eq!(
            replays[0]["how"]["name"], "SIGABRT",
            "{files:?}: {}",
            replays[0]
        );
    }
    for program in ["parser", "other", "main"] {
        let files = left_behind(&tree, program);
        assert_eq!(files.len(), 1, "{files:?}");
        follow(&tree, &files[0]).code(SIGABRT);
    }
}

#[test]
fn what_cannot_be_linked_natively_says_why() {
    let files = [
        (
            "a.c",
            "int twice(int x) { return 2 * x; }\n#include <stdlib.h>\nint main(void) { abort(); }\n",
        ),
        ("b.c", "int twice(int x) { return 2 * x; }\n"),
    ];
    let tree = Crate::files("c_unlinked", &files);
    let said = json(&tree, &["a.c", "b.c"]);
    assert_eq!(said.verdict(), "bug");
    let replay = &said.findings()[0]["replay"];
    assert_eq!(replay["status"], "failed");
    let reason = replay["reason"].as_str().expect("a reason");
    assert!(reason.contains("duplicate symbol: twice"), "{reason}");
}
