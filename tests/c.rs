//! C and C++ given as files: what `cargo symex c` says of them, what it makes of undefined behaviour, how findings are
//! confirmed, and what they leave behind.

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Crate, Run, finish, manifest};

/// `cargo symex c`, its objects.
struct Said {
    lines: Vec<Value>,
}

impl Said {
    #[track_caller]
    fn of(run: &Run) -> Self {
        assert!(!run.stderr.contains("panicked at"), "{}", run.stderr);
        Said { lines: run.json() }
    }

    #[track_caller]
    fn line(&self, kind: &str) -> &Value {
        let mut found = self.lines.iter().filter(|line| line["type"] == kind);
        let first = found.next();
        first.unwrap_or_else(|| panic!("no {kind} in {:?}", self.lines))
    }

    fn verdict(&self) -> &str {
        let finished = self.line("harness-finished");
        finished["verdict"].as_str().expect("a verdict")
    }

    fn findings(&self) -> Vec<&Value> {
        let findings = self.lines.iter().filter(|line| line["type"] == "finding");
        findings.collect()
    }
}

#[track_caller]
fn json(tree: &Crate, args: &[&str]) -> Said {
    let mut all = vec!["c", "--message-format", "json"];
    all.extend(args);
    Said::of(&tree.symex(&all))
}

/// What a program says of itself after `// KEY: `.
fn note<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let lines = text.lines();
    let notes = lines.filter_map(|line| line.strip_prefix("// ")?.strip_prefix(key));
    notes.filter_map(|rest| rest.strip_prefix(": ")).next()
}

fn of_undefined_behaviour() -> Vec<PathBuf> {
    let folder = support::workspace().join("tests/programs/c/undefined");
    let entries = std::fs::read_dir(folder).expect("the folder of programs");
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    files
}

#[test]
fn each_class_of_undefined_behaviour_is_named_placed_and_confirmed() {
    let tree = Crate::files("c_undefined", &[]);
    let mut complaints = Vec::new();
    let files = of_undefined_behaviour();
    assert!(files.len() >= 38, "{files:?}");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a program");
        let name = file.display().to_string();
        let said = json(&tree, &["--no-write", &name]);
        let expected = note(&text, "expect").expect("an expectation");
        let Some(kind) = expected.strip_prefix("bug ") else {
            assert_eq!(expected, "pass-complete", "{name}");
            if said.verdict() != expected {
                complaints.push(format!("{name}: {:?}", said.lines));
            }
            continue;
        };
        let found: Vec<String> = said.findings().into_iter().map(told).collect();
        let (text, at) = (note(&text, "text"), note(&text, "at"));
        let (text, at) = (text.expect("a text"), at.expect("a place"));
        let wanted = format!("{kind}: {text} at {at}, confirmed by \"SIGILL\"");
        if found != [wanted.as_str()] {
            complaints.push(format!("{name}: {found:?} instead of {wanted}"));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// A finding in a line.
fn told(line: &Value) -> String {
    let finding = &line["finding"];
    let replay = &line["replay"];
    format!(
        "{}: {} at {}:{}, {} by {}",
        line["kind"].as_str().unwrap_or_default(),
        finding["message"].as_str().unwrap_or_default(),
        finding["at"]["line"],
        finding["at"]["column"],
        replay["status"].as_str().unwrap_or_default(),
        replay["how"]["name"],
    )
}

#[test]
fn a_check_that_the_user_does_not_want_is_not_made() {
    let file = support::workspace().join("tests/programs/c/undefined/addition.c");
    let tree = Crate::files("c_unchecked", &[]);
    let name = file.display().to_string();
    let flag = "-fno-sanitize=signed-integer-overflow";
    let said = json(&tree, &[&name, "--", flag]);
    assert_eq!(said.verdict(), "pass-complete");
}

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

fn c<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["c"], args].concat()
}

/// The command that the head of a reproducer names, run in the directory of the sources.
#[track_caller]
fn follow(tree: &Crate, reproducer: &str) -> Run {
    let text = tree.read(reproducer);
    let mut lines = text.lines().map(|line| line.trim_start_matches(" * "));
    let command = lines
        .find(|line| line.starts_with("clang"))
        .unwrap_or_else(|| panic!("no command in\n{text}"));
    let mut shell = Command::new("sh");
    // Without a word of this tool in the environment; a shell tells a signal by a code of 128 and more.
    shell
        .args(["-c", command])
        .current_dir(tree.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    finish(shell)
}

const SIGABRT: i32 = 128 + 6;
const SIGILL: i32 = 128 + 4;

/// The files that a run has left behind for a program, without the header.
fn left_behind(tree: &Crate, program: &str) -> Vec<String> {
    let folder = format!("symex-regressions/{program}");
    let Ok(entries) = std::fs::read_dir(tree.path().join(&folder)) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    let mut files: Vec<String> = names
        .filter(|name| name != "symex.h")
        .map(|name| format!("{folder}/{name}"))
        .collect();
    files.sort();
    files
}

#[test]
fn a_finding_is_confirmed_and_its_reproducer_runs_without_the_tool() {
    let tree = aborting("c_reproducer");
    let run = tree.symex(&c(&ABORTS)).code(1);
    assert!(
        run.stdout
            .contains("= confirmed: natively: killed by SIGABRT"),
        "{}",
        run.stdout
    );
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

    // Neither written twice, nor over an edit; what was deleted comes again.
    let edited = format!("{text}/* mine */\n");
    tree.write(file, &edited);
    let again = tree.symex(&c(&ABORTS)).code(1);
    assert!(
        again.stdout.contains(&format!("is in {file}")),
        "{}",
        again.stdout
    );
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
    assert!(
        shown.stdout.contains("not written: the variable CI is set"),
        "{}",
        shown.stdout
    );
    assert!(
        shown.stdout.contains("symex_inputs[] = {"),
        "{}",
        shown.stdout
    );
    let never = [&["--write-tests", "never"][..], &ABORTS].concat();
    let silent = tree.symex(&c(&never)).code(1);
    assert!(!silent.stdout.contains("= test:"), "{}", silent.stdout);
    let unseen = [&["--no-replay"][..], &ABORTS].concat();
    let unseen = tree.symex(&c(&unseen)).code(1);
    assert!(
        unseen.stdout.contains("= not replayed: --no-replay"),
        "{}",
        unseen.stdout
    );
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
    assert!(
        run.stdout
            .starts_with("main ... inconclusive (abort not reproduced natively)"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("= not reproduced natively: the native run ends well"),
        "{}",
        run.stdout
    );
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
    assert!(
        run.stdout
            .contains("= confirmed: natively: killed by SIGABRT"),
        "{}",
        run.stdout
    );
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
        let mut command = Command::new("clang-22");
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

#[test]
fn a_cover_point_that_no_path_meets_makes_a_program_vacuous() {
    let source = |inner: &str| {
        format!(
            "#include <symex.h>\nint main(void) {{\n  unsigned x;\n  symex_make_symbolic(&x, sizeof x, \"x\");\n  \
             symex_cover(x & 0x100, \"a bit\");\n  if (x > 10) {{\n    if (x {inner}) symex_cover(1, \"inner\");\n  }}\n  return 0;\n}}\n"
        )
    };
    let tree = Crate::files("c_covers", &[("f.c", &source("== 12"))]);
    assert_eq!(json(&tree, &["f.c"]).verdict(), "pass-complete");
    tree.write("f.c", &source("< 5"));
    let run = tree.symex(&["c", "f.c"]).code(4);
    assert!(
        run.stdout
            .starts_with("main ... vacuous (no input meets cover!(\"inner\"))"),
        "{}",
        run.stdout
    );
}

/// All that the header declares, in a program that passes.
const ALL_FUNCTIONS: &str = r#"
int main(void) {
    unsigned long mask;
    int n;
    symex_make_symbolic(&mask, sizeof mask, "mask");
    n = symex_range(-2, 3, "n");
    symex_assume(mask & 0xff00000000ul);
    symex_cover(n == -2, "the least");
    symex_cover(n == 2, "the greatest");
    symex_cover((mask & 0xffffffff) == 0, "only the upper half");
    return n < -2 || n > 2 || mask == 0;
}
"#;

#[test]
fn the_header_is_of_use_in_all_dialects() {
    let source = format!("#include <symex.h>\n{ALL_FUNCTIONS}");
    let tree = Crate::files("c_dialects", &[("f.c", &source), ("f.cpp", &source)]);
    for (file, dialect) in [
        ("f.c", "-std=c89"),
        ("f.c", "-std=c99"),
        ("f.c", "-std=c23"),
        ("f.cpp", "-std=c++98"),
        ("f.cpp", "-std=c++20"),
    ] {
        let flags = [
            "-pedantic-errors",
            "-Wall",
            "-Wextra",
            "-Wstrict-prototypes",
            "-Werror",
        ];
        let args = [&[file, "--", dialect][..], &flags].concat();
        assert_eq!(json(&tree, &args).verdict(), "pass-complete", "{dialect}");
        // Other compilers read it, too.
        let mut gcc = Command::new(if file == "f.c" { "gcc" } else { "g++" });
        gcc.args([
            "-fsyntax-only",
            "-x",
            if file == "f.c" { "c" } else { "c++" },
        ]);
        gcc.args(["-pedantic-errors", "-Wall", "-Wextra", "-Werror"]);
        gcc.arg(dialect.replace("c23", "c2x"))
            .arg("-I")
            .arg(symex::C_HEADERS);
        gcc.arg(tree.path().join(file));
        finish(gcc).code(0);
    }
}

#[test]
fn a_crate_may_have_harnesses_in_c() {
    let source = r#"#include <symex.h>
#include <stdint.h>
static uint32_t mix(uint32_t x) { return (x ^ (x >> 7)) * 0x9E3779B1u; }
int32_t mixed(int32_t wanted) {
    uint32_t x;
    symex_make_symbolic(&x, sizeof x, "x");
    int bits = symex_range(-1, 40, "bits");
    symex_assume(bits >= 4);
    return mix(x) == (uint32_t)wanted && bits == 39;
}
"#;
    let library = r#"#[cfg(test)]
mod tests {
    unsafe extern "C" { fn mixed(wanted: i32) -> i32; }
    #[symex::harness]
    fn never_mixed() {
        assert_eq!(unsafe { mixed(0x1234567) }, 0);
    }
}
"#;
    let name = "c_in_crate";
    let runtime = support::dependency();
    let text = manifest(name);
    let (head, workspace) = text.split_once("[workspace]").expect("a workspace");
    let text = format!("{head}[build-dependencies]\ncc = \"1\"\n{runtime}\n[workspace]{workspace}");
    let build = "fn main() {\n    cc::Build::new().file(\"c/mixed.c\").include(symex::C_HEADERS).compile(\"mixed\");\n    \
                 println!(\"cargo::rerun-if-changed=c\");\n}\n";
    let files = [
        ("Cargo.toml", text.as_str()),
        ("build.rs", build),
        ("src/lib.rs", library),
        ("c/mixed.c", source),
    ];
    let tree = Crate::files(name, &files);
    let run = tree.symex(&[]).code(1);
    assert!(
        run.stdout
            .contains("= confirmed: natively: panicked at src/lib.rs:6:9"),
        "{}",
        run.stdout
    );
    // And by plain cargo, the regression test that it has left behind fails as well.
    let tested = tree.cargo(&["test", "--offline"]);
    assert_eq!(
        tested.code,
        Some(101),
        "{}\n{}",
        tested.stdout,
        tested.stderr
    );
    assert!(
        tested.stdout.contains("1 passed; 1 failed"),
        "{}",
        tested.stdout
    );
    // The tool brings the header with it: the build script need not know where it is.
    tree.write("build.rs", &build.replace(".include(symex::C_HEADERS)", ""));
    tree.symex(&[]).code(1);
}

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
    assert!(
        run.stdout
            .starts_with("main ... inconclusive (no model of `nobody`)"),
        "{}",
        run.stdout
    );
    let run = tree
        .symex(&["c", "f.c", "--", "-DREFUSED=9", "-DABORTED=9"])
        .code(0);
    assert!(
        run.stdout.starts_with("main ... pass (complete)"),
        "{}",
        run.stdout
    );
    // A finding on another path is confirmed all the same.
    let run = tree
        .symex(&["c", "f.c", "--", "-DREFUSED=9", "-DABORTED=11"])
        .code(1);
    assert!(
        run.stdout
            .contains("= confirmed: natively: killed by SIGABRT"),
        "{}",
        run.stdout
    );
    let files = left_behind(&tree, "f");
    follow(&tree, &files[0]).code(SIGABRT);
}

/// The only directory that runs of `f.c` have left behind.
#[track_caller]
fn only_folder(tree: &Crate) -> String {
    let folders = left_behind(tree, "f");
    assert_eq!(folders.len(), 1, "{folders:?}");
    folders.into_iter().next().expect("one")
}

/// The names in a directory.
fn names(tree: &Crate, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(tree.path().join(folder)).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[track_caller]
fn run_script(tree: &Crate, script: &str) -> Run {
    let mut shell = Command::new("sh");
    shell.arg(script).current_dir(tree.path());
    finish(shell)
}

#[test]
fn standard_input_and_files_are_given_to_the_native_run() {
    let source = r#"#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char word[4] = "", table[3] = "", known[6] = "";
    FILE *t = fopen("dir/table", "rb"), *k = fopen("known.txt", "r");
    if (!t || !k || fread(word, 1, 3, stdin) != 3 || fgetc(stdin) != EOF) return 4;
    if (fread(table, 1, 2, t) != 2 || !fgets(known, sizeof known, k)) return 5;
    if (word[0] == 0 && word[1] == '\n' && word[2] == 'x' && (table[1] & 0xff) == 0xff && !strcmp(known, "given"))
        abort();
    return 0;
}
"#;
    let tree = Crate::files("c_files", &[("f.c", source), ("here.txt", "given")]);
    let args = [
        "c",
        "f.c",
        "--sym-stdin",
        "3",
        "--sym-file",
        "dir/table:2",
        "--file",
        "known.txt=here.txt",
    ];
    let run = tree.symex(&args).code(1);
    assert!(
        run.stdout
            .contains("= confirmed: natively: killed by SIGABRT"),
        "{}",
        run.stdout
    );
    let folder = only_folder(&tree);
    assert_eq!(
        names(&tree, &folder),
        ["files", "inputs.c", "run.sh", "stdin"]
    );
    let script = format!("{folder}/run.sh");
    run_script(&tree, &script).code(SIGABRT);
    tree.write(&format!("{folder}/files/known.txt"), "taken");
    run_script(&tree, &script).code(0);
}

#[test]
fn arguments_and_variables_are_given_to_the_native_run() {
    let source = r#"#include <symex.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    const char *home = getenv("HOME");
    unsigned char x;
    symex_make_symbolic(&x, 1, "x");
    if (argc != 3 || !home || strlen(argv[2]) != 3) return 4;
    if (argv[2][0] == '\'' && argv[2][1] == '\n' && (argv[2][2] & 0xff) == 0xfe && home[0] == '$' && x == 5) abort();
    return 0;
}
"#;
    let tree = Crate::files("c_world", &[("f.c", source)]);
    let args = [
        "c",
        "f.c",
        "--arg",
        "-v w",
        "--sym-arg",
        "3",
        "--sym-env",
        "HOME:1",
    ];
    let run = tree.symex(&args).code(1);
    assert!(
        run.stdout
            .contains("= confirmed: natively: killed by SIGABRT"),
        "{}",
        run.stdout
    );
    let folder = only_folder(&tree);
    assert_eq!(names(&tree, &folder), ["inputs.c", "run.sh"]);
    let script = format!("{folder}/run.sh");
    run_script(&tree, &script).code(SIGABRT);
    let text = tree.read(&script);
    tree.write(&script, &text.replace("HOME='$'", "HOME=x"));
    run_script(&tree, &script).code(0);
    // It is known by its script, edited or not.
    let again = tree.symex(&args).code(1);
    assert!(
        again.stdout.contains(&format!("is in {script}")),
        "{}",
        again.stdout
    );
}

#[test]
fn the_program_is_run_apart_from_the_users_files() {
    let source = r#"#include <stdlib.h>
#include <stdio.h>
int main(void) {
    remove("precious.txt");
    abort();
}
"#;
    let tree = Crate::files("c_apart", &[("f.c", source), ("precious.txt", "data")]);
    // Whatever the engine makes of `remove`.
    let run = tree.symex(&["c", "f.c"]);
    assert!(matches!(run.code, Some(1 | 3)), "{}", run.stdout);
    assert!(tree.exists("precious.txt"));
}

#[test]
fn every_program_of_undefined_behaviour_has_a_twin_without() {
    let files = of_undefined_behaviour();
    for file in &files {
        let name = file.file_stem().expect("a name").to_string_lossy();
        let twin = match name.strip_suffix("_fixed") {
            Some(name) => name.to_owned(),
            None => format!("{name}_fixed"),
        };
        let extension = file.extension().expect("an extension");
        let twin = Path::new(&twin).with_extension(extension);
        assert!(
            files.contains(&file.with_file_name(twin)),
            "{}",
            file.display()
        );
    }
}
