//! Tests of the command line from the outside: flags, exit codes, listing, replay of inputs, bad
//! input, form of the output.

use crate::support::{Crate, Run, TOOL, dependency, finish, manifest};

const TWO: &str = r#"
pub fn at(data: &[u8], index: usize) -> u8 {
    data[index]
}

#[cfg(test)]
mod tests {
    #[symex::harness]
    fn parses(data: [u8; 4], index: usize) {
        symex::assume(data[0] == 7);
        super::at(&data, index);
    }

    #[symex::harness]
    #[ignore]
    fn slow(x: u8) {
        let _ = x;
    }
}
"#;

#[test]
fn harnesses_are_listed_with_arguments_and_place() {
    let tree = Crate::library("list", TWO);
    let run = tree.symex(&["list"]).code(0);
    assert_eq!(
        run.stdout,
        "tests::parses(data: [u8; 4], index: usize)  src/lib.rs:9\n\
         tests::slow(x: u8) (ignored)  src/lib.rs:16\n"
    );
    // Cargo's progress is on standard error, except with `-q`.
    assert!(run.stderr.contains("Finished"), "{}", run.stderr);
    let run = tree.symex(&["list", "-q"]).code(0);
    assert_eq!(run.stdout, "tests::parses\ntests::slow\n");
    assert_eq!(run.stderr, "");
    let lines = tree
        .symex(&["list", "parses", "--message-format", "json"])
        .code(0)
        .json();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0]["type"], "harness");
    assert_eq!(lines[0]["harness"], "tests::parses");
    assert_eq!(lines[0]["package"], "list");
    assert_eq!(lines[0]["target_kind"], "lib");
    assert_eq!(lines[0]["line"], 9);
    assert_eq!(lines[0]["ignored"], false);
}

#[test]
fn nextest_gets_the_lists_it_asks_for() {
    let tree = Crate::library("nextest", TWO);
    let list = |args: &[&str]| tree.symex(args).code(0).stdout;
    assert_eq!(
        list(&["--list", "--format", "terse"]),
        "tests::parses: test\ntests::slow: test\n"
    );
    assert_eq!(
        list(&["--list", "--format", "terse", "--ignored"]),
        "tests::slow: test\n"
    );
    assert_eq!(
        list(&[
            "--",
            "--list",
            "--format",
            "terse",
            "--exact",
            "tests::parses"
        ]),
        "tests::parses: test\n"
    );
    assert_eq!(
        list(&["--list", "--skip", "slow"]),
        "tests::parses: test\n\n1 test, 0 benchmarks\n"
    );
}

#[test]
fn without_a_harness_there_is_one_clear_message() {
    let none = Crate::library("none", "#[test] fn plain() {}");
    none.symex(&[]).code(5).error("no harness found");
    none.symex(&["list"]).code(5).error("no harness found");
    let two = Crate::library("none_matches", TWO);
    let run = two
        .symex(&["zzz"])
        .code(5)
        .error("no harness matches `zzz`");
    assert!(
        run.stderr
            .contains("help: `cargo symex list` shows the 2 there are"),
        "{}",
        run.stderr
    );
    let run = two
        .symex(&["parses", "--exact"])
        .code(5)
        .error("no harness is called `parses`");
    assert!(
        run.stderr.contains("help: there is `tests::parses`\n"),
        "{}",
        run.stderr
    );
    let run = two.symex(&["list", "tests::solw", "--exact"]).code(5);
    assert!(
        run.stderr.contains("help: there is `tests::slow`\n"),
        "{}",
        run.stderr
    );
    let line = two
        .symex(&["zzz", "--message-format", "json"])
        .code(5)
        .json()
        .remove(0);
    assert_eq!(
        (&line["type"], &line["exit_code"]),
        (&"error".into(), &5.into())
    );
}

#[test]
fn inputs_of_the_users_are_run_natively() {
    let tree = Crate::library("inputs", TWO);
    let replay = |text: &str| {
        tree.write("in.txt", text);
        tree.symex(&["replay", "tests::parses", "--exact", "--inputs", "in.txt"])
    };
    let run = replay("data 07000000\nindex 0900000000000000\n").code(1);
    assert_eq!(
        run.stdout,
        "data: [u8; 4] = [0x07, 0x00, 0x00, 0x00]\n\
         index: usize = 9\n\
         tests::parses ... failed: panicked at src/lib.rs:3:5\n    \
         index out of bounds: the len is 4 but the index is 9\n"
    );
    assert!(
        replay("data 07000000\nindex 01\n")
            .code(0)
            .stdout
            .ends_with("tests::parses ... passed\n")
    );
    assert!(
        replay("data 00\n")
            .code(4)
            .stdout
            .contains("an assumption of the harness does not hold")
    );
    assert!(replay("data zz\n").code(2).stdout.contains("not replayed"));
    tree.symex(&["replay", "tests::parses", "--exact", "--inputs", "no.txt"])
        .code(2)
        .error("failed to read no.txt");
    tree.symex(&["replay", "--inputs", "in.txt"])
        .code(2)
        .error("2 match");
}

#[test]
fn the_path_of_inputs_is_shown() {
    let tree = Crate::library("path", TWO);
    let path = |text: &str, more: &[&str]| {
        tree.write("in.txt", text);
        let args = [
            "replay",
            "tests::parses",
            "--exact",
            "--path",
            "--inputs",
            "in.txt",
        ];
        tree.symex(&[&args[..], more].concat())
    };
    let shown = path("data 07000000\nindex 0900000000000000\n", &[])
        .code(1)
        .stdout;
    assert_eq!(
        shown,
        "tests::parses: 2 decisions on the inputs, 24 instructions\n\
         1  src/lib.rs:10:9  data[0] == 7\n\
         2  src/lib.rs:3:5   3 < index\n\
         end: panic: index out of bounds: the len is 4 but the index is 9 at src/lib.rs:3:5\n    \
         0: path::at at src/lib.rs:3:5\n    \
         1: path::tests::parses at src/lib.rs:11:9\n"
    );
    let returned = path("data 07000000\nindex 0100000000000000\n", &[])
        .code(0)
        .stdout;
    assert!(
        returned.ends_with("end: the harness returned\n"),
        "{returned}"
    );
    let rejected = path("data 08000000\n", &["--message-format", "json"])
        .code(4)
        .json()
        .remove(0);
    assert_eq!(rejected["end"], "rejected");
    assert_eq!(rejected["decisions"][0]["condition"], "data[0] != 7");
    path("data zz\n", &[])
        .code(2)
        .error("failed to read in.txt");
}

/// Harnesses that pass and print, for comparison with native runs.
const PRINTING: &str = r#"
#[cfg(test)]
mod tests {
    #[symex::harness]
    fn small(x: u8) {
        println!("small: {}", if x < 9 { "yes" } else { "no" });
        print!("an end of a line that is never written");
    }

    #[symex::harness(should_panic = "of zero")]
    fn panics(x: u8) {
        println!("{}", x % 3);
        panic!("of zero");
    }

    #[symex::harness]
    fn time(x: bool) {
        let now = std::time::SystemTime::now();
        println!("{x}: {:?}", now.duration_since(std::time::UNIX_EPOCH).unwrap());
    }
}
"#;

#[test]
fn paths_that_end_well_are_run_natively_on_demand() {
    let tree = Crate::library("printing", PRINTING);
    let args = ["--replay-paths", "2", "--message-format", "json"];
    let run = tree.symex(&args).code(3);
    let finished = run.finished();
    let native = |name: &str| &finished[&format!("tests::{name}")]["native_paths"];
    for (name, ran) in [("small", 2), ("panics", 1)] {
        assert_eq!(native(name)["ran"], ran, "{finished:#?}");
        assert_eq!(native(name)["agree"], ran, "{finished:#?}");
    }
    // The engine's clock differs from the machine's.
    assert_eq!(finished["tests::time"]["verdict"], "inconclusive");
    assert_eq!(native("time")["agree"], 0);
    let what = native("time")["different"]["what"].as_str().expect("what");
    assert!(what.contains("standard output is \""), "{what}");
    let run = tree.symex(&["--replay-paths", "1", "small"]).code(0);
    let told = "note: tests::small: 1 path was run natively: as explored";
    assert!(run.stdout.contains(told), "{}", run.stdout);
    // Paths are run natively only on request.
    let run = tree.symex(&["--message-format", "json"]).code(0);
    assert!(run.finished()["tests::small"]["native_paths"].is_null());
    tree.symex(&["--replay-paths", "1", "--replay=off"]).code(2);
}

#[test]
fn paths_of_programs_are_run_natively_on_demand() {
    let program = r#"
        #include <stdio.h>
        int main(int argc, char **argv) {
            FILE *out = fopen("out", "w");
            fputs(argv[1][0] == 'x' ? "an x" : "other", out);
            fputs("to stderr\n", stderr);
            return printf("%d\n", argc) == 3 ? 7 : 0;
        }"#;
    let tree = Crate::files("program-paths", &[("program.c", program)]);
    let args = ["c", "program.c", "--sym-arg", "1", "--replay-paths", "5"];
    let run = tree.symex(&args).code(0);
    let told = "note: main: 2 paths were run natively: all as explored";
    assert!(run.stdout.contains(told), "{}", run.stdout);
}

#[test]
fn regression_tests_are_run_one_by_one() {
    let tree = Crate::library("regressions", TWO);
    tree.symex(&["replay"]).code(5).error("no regression test");
    tree.write(
        "symex-regressions/src/lib/tests/parses.rs",
        "#[test]\nfn parses_000001() { parses([7, 0, 0, 0], 3) }\n\
         #[test]\nfn parses_000002() { parses([7, 0, 0, 0], 4) }\n",
    );
    let touched = std::fs::File::options()
        .append(true)
        .open(tree.path().join("src/lib.rs"))
        .unwrap();
    touched.set_modified(std::time::SystemTime::now()).unwrap();
    let run = tree.symex(&["replay", "--message-format", "json"]).code(1);
    let results: Vec<_> = run
        .json()
        .iter()
        .map(|line| format!("{} {}", line["test"], line["result"]))
        .collect();
    assert_eq!(
        results,
        [
            r#""tests::symex_parses::parses_000001" "passed""#,
            r#""tests::symex_parses::parses_000002" "failed""#,
        ]
    );
}

#[test]
fn a_crate_that_does_not_compile_shows_rustcs_own_error() {
    let tree = Crate::library("broken", "#[test] fn f() { let x: u8 = \"\"; }");
    let run = tree
        .symex(&[])
        .code(101)
        .error("the crate does not compile");
    assert!(
        run.stderr.contains("error[E0308]: mismatched types"),
        "{}",
        run.stderr
    );
    let run = Crate::library(
        "not_symbolic",
        "struct S;\n#[cfg(test)] mod t { #[symex::harness] fn f(s: super::S) { let _ = s; } }",
    )
    .symex(&[])
    .code(101);
    assert!(run.stderr.contains("src/lib.rs:2"), "{}", run.stderr);
}

#[test]
fn cargo_says_what_is_wrong_with_the_selection() {
    let tree = Crate::library("selection", TWO);
    let run = tree.symex(&["-p", "nobody"]).code(101);
    assert!(run.stderr.contains("nobody"), "{}", run.stderr);
    tree.symex(&["--manifest-path", "no/Cargo.toml"]).code(101);
}

#[test]
fn wrong_flags_are_refused_with_code_2() {
    let tree = Crate::files("flags", &[]);
    for args in [
        &["--timeout", "soon"][..],
        &["--max-memory", "lots"],
        &["--no-such-flag"],
        &["--format", "xml"],
        &["--format", "json", "--message-format", "json"],
        &["--jobs", "0"],
        &["--", "--no-such-flag"],
        &["bitcode"],
    ] {
        let run = tree.symex(args).code(2);
        assert!(
            run.stderr.starts_with("error: "),
            "{args:?}: {}",
            run.stderr
        );
        assert_eq!(run.stdout, "", "{args:?}");
    }
    let tree = Crate::library("search", TWO);
    let run = tree
        .symex(&["--search", "sideways"])
        .code(2)
        .error("sideways");
    assert!(run.stderr.contains("interleaved"), "{}", run.stderr);
}

#[test]
fn help_tells_the_exit_codes() {
    let tree = Crate::files("help", &[]);
    let help = tree.symex(&["--help"]).code(0).stdout;
    for line in [
        "  0  all harnesses passed",
        "  1  a bug was found",
        "101  the crate",
        "130  interrupted",
    ] {
        assert!(help.contains(line), "{line} is not in\n{help}");
    }
    assert!(
        tree.symex(&["--version"])
            .code(0)
            .stdout
            .contains(env!("CARGO_PKG_VERSION"))
    );
}

#[test]
fn a_bad_bitcode_file_is_named() {
    let tree = Crate::files("bitcode", &[("text.bc", "no bitcode"), ("empty.bc", "")]);
    tree.symex(&["bitcode", "no.bc"])
        .code(2)
        .error("failed to read no.bc");
    tree.symex(&["bitcode", "text.bc"]).code(2).error("text.bc");
    tree.symex(&["bitcode", "empty.bc"])
        .code(2)
        .error("empty.bc");
    tree.write(
        "f.ll",
        "define i32 @start(i64 %x) {\n  ret i32 0\n}\ndefine void @run() {\n  ret void\n}\n",
    );
    let run = tree
        .symex(&["bitcode", "f.ll"])
        .code(2)
        .error("failed to find a defined function `main`");
    assert!(
        run.stderr.contains("functions without parameters are: run"),
        "{}",
        run.stderr
    );
    tree.symex(&["bitcode", "f.ll", "--entry", "start"])
        .code(2)
        .error("failed to call `start`");
    tree.write("f.c", "int main(void) { return x; }\n");
    let run = tree
        .symex(&["bitcode", "f.c"])
        .code(101)
        .error("failed to compile the source");
    assert!(
        run.stderr.contains("undeclared identifier 'x'"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_program_can_be_dumped() {
    let tree = Crate::files(
        "dump",
        &[(
            "f.ll",
            "define i32 @f() {\n  call void @g()\n  ret i32 7\n}\ndefine void @g() {\n  ret void\n}\n",
        )],
    );
    let text = tree
        .symex(&["dump", "f.ll", "--entry", "f", "--function", "f"])
        .code(0)
        .stdout;
    assert!(
        text.contains("fn @f") && text.contains('7') && !text.contains("fn @g"),
        "{text}"
    );
}

#[test]
fn a_description_of_another_version_is_refused() {
    // What the macro of a later runtime may leave: the version first, the rest unknown.
    let source = "#[cfg(test)] mod t {
        fn __symex_f() {
            static META: [u32; 64] = { let mut m = [0; 64]; m[0] = 77; m };
            #[inline(never)] fn entry() {}
            std::hint::black_box((&META, entry as fn()));
        }
        #[test] fn symex_f() { __symex_f() }
    }";
    let run = Crate::library("version", source)
        .symex(&[])
        .code(2)
        .error("interface version 77");
    assert!(
        run.stderr.contains("help: update cargo-symex"),
        "{}",
        run.stderr
    );
}

#[test]
fn harnesses_of_several_targets_are_told_apart() {
    let lib = "#[cfg(test)] mod t { #[symex::harness] fn f(x: u8) { let _ = x; } }";
    let test = "#[symex::harness] fn f(x: u8) { let _ = x; }";
    let manifest = manifest("several");
    let tree = Crate::files(
        "several",
        &[
            ("Cargo.toml", &manifest),
            ("src/lib.rs", lib),
            ("tests/it.rs", test),
        ],
    );
    let list = |args: &[&str]| tree.symex(args).code(0).stdout;
    assert_eq!(
        list(&["--list", "--format", "terse"]),
        "it::f: test\nseveral::t::f: test\n"
    );
    assert_eq!(
        list(&["--list", "--format", "terse", "--lib"]),
        "t::f: test\n"
    );
    assert_eq!(
        list(&["--list", "--format", "terse", "--test", "it"]),
        "f: test\n"
    );
}

#[test]
fn packages_of_a_virtual_workspace_are_chosen_as_cargo_does() {
    let member = |name: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dev-dependencies]\n{}",
            dependency()
        )
    };
    let source = "#[cfg(test)] mod t { #[symex::harness] fn f(x: u8) { let _ = x; } }";
    let tree = Crate::files(
        "virtual workspace",
        &[
            (
                "Cargo.toml",
                "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"3\"\n",
            ),
            ("one/Cargo.toml", &member("one")),
            ("one/src/lib.rs", source),
            ("two/Cargo.toml", &member("two")),
            ("two/src/lib.rs", source),
        ],
    );
    let list = |args: &[&str]| tree.symex(args).code(0).stdout;
    assert_eq!(
        list(&["--list", "--format", "terse"]),
        "one::t::f: test\ntwo::t::f: test\n"
    );
    assert_eq!(
        list(&["--list", "--format", "terse", "-p", "two"]),
        "t::f: test\n"
    );
    assert_eq!(
        list(&["list", "--workspace", "--exclude", "two"]),
        "t::f(x: u8)  one/src/lib.rs:1\n"
    );
}

#[test]
fn a_target_directory_that_cannot_be_written_is_named() {
    let tree = Crate::library("unwritable", TWO);
    tree.write("file", "");
    let run = tree
        .symex(&["--target-dir", "file/target"])
        .code(2)
        .error("failed to build");
    assert!(run.stderr.contains("file/target"), "{}", run.stderr);
}

/// Runs the tool by a shell, with `rest` after its arguments; returns the run and the tool's exit
/// code.
fn in_shell(tree: &Crate, args: &str, rest: &str) -> (Run, String) {
    let mut command = tree.command("sh");
    let script = format!("{{ '{TOOL}' symex {args}; echo $? > code; }} {rest}");
    command.args(["-c", &script]);
    (finish(command).code(0), tree.read("code"))
}

#[test]
fn a_reader_that_goes_away_is_no_crash() {
    let tree = Crate::library("pipe", TWO);
    for (args, code) in [
        ("list", "0\n"),
        ("--no-write --stats", "1\n"),
        ("--no-write --format pretty", "1\n"),
        ("--no-write --format json", "1\n"),
        ("--no-write --message-format json", "1\n"),
    ] {
        // Standard error goes into the closed pipe, too, but only where no message is cargo's:
        // cargo fails if it cannot write its own.
        let both = args.contains("format").then_some("2>&1 | true");
        for rest in ["| true"].into_iter().chain(both) {
            let (run, ended) = in_shell(&tree, args, rest);
            assert!(!run.stderr.contains("panicked"), "{args}: {}", run.stderr);
            assert!(!run.stderr.contains("standard output"), "{}", run.stderr);
            assert_eq!(ended, code, "{args}: {}", run.stderr);
        }
    }
}

#[test]
fn a_full_disk_under_the_report_loses_no_finding() {
    let tree = Crate::library("full", TWO);
    let recorded = "symex-regressions/src/lib/tests/parses.rs";
    for args in ["", "--message-format json", "--format pretty", "list"] {
        let (run, ended) = in_shell(&tree, args, "> /dev/full");
        let run = run.error("failed to write to standard output: No space left on device");
        assert_eq!(run.stderr.matches("error: ").count(), 1, "{}", run.stderr);
        assert_eq!(ended, "7\n", "{}", run.stderr);
        assert_eq!(tree.exists(recorded), args != "list");
        let _ = std::fs::remove_dir_all(tree.path().join("symex-regressions"));
    }
}

#[test]
fn the_parts_of_a_partition_are_all_harnesses() {
    let names = ["a", "b", "c", "d", "e"];
    let text = |name| format!("#[symex::harness] fn {name}(x: u8) {{ assert!(x < 255); }}\n");
    let source: String = names.into_iter().map(text).collect();
    let tree = Crate::library("partition", &format!("#[cfg(test)] mod t {{ {source} }}"));
    let run = |part: &str| -> Vec<String> {
        let args = ["--message-format", "json", "--replay=off", "--no-write"];
        let run = tree.symex(&[&args[..], &["--skip=t::e", "--partition", part]].concat());
        run.finished().into_keys().collect()
    };
    assert_eq!(run("slice:1/2"), ["t::a", "t::c"]);
    assert_eq!(run("slice:2/2"), ["t::b", "t::d"]);
    let mut all = [run("hash:1/3"), run("hash:2/3"), run("hash:3/3")].concat();
    all.sort();
    assert_eq!(all, ["t::a", "t::b", "t::c", "t::d"]);
    let listed = tree.symex(&["list", "-q", "--partition", "slice:2/2"]);
    assert_eq!(listed.code(0).stdout, "t::b\nt::d\n");
    let none = tree.symex(&["--partition", "slice:7/9"]).code(0);
    assert!(
        none.stdout.contains("running 0 harnesses"),
        "{}",
        none.stdout
    );
    tree.symex(&["--partition", "slice:3/2"])
        .code(2)
        .error("there is no part 3 of 2: the first is 1");
}

/// Returns the names of all commands that `--help` shows.
fn commands() -> Vec<String> {
    use clap::CommandFactory as _;
    let command = cargo_symex::cli::args::CommandLine::command();
    let shown = command.get_subcommands().filter(|one| !one.is_hide_set());
    let names: Vec<String> = shown.map(|one| one.get_name().to_owned()).collect();
    assert!(names.len() > 10, "{names:?}");
    names
}

#[test]
fn completions_know_every_command_and_its_options() {
    let tree = Crate::files("completions", &[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = tree.symex(&["completions", shell]).code(0).stdout;
        for name in commands() {
            assert!(script.contains(&name), "{shell}: {name}");
        }
        assert!(script.contains("junit"), "{shell}");
    }
    // A shell takes it.
    let script = tree.symex(&["completions", "bash"]).code(0).stdout;
    tree.write("script.sh", &format!("{script}\ncomplete -p cargo-symex\n"));
    let mut bash = tree.command("bash");
    bash.args(["--norc", "script.sh"]);
    let run = finish(bash).code(0);
    assert!(run.stdout.ends_with(" cargo-symex\n"), "{}", run.stdout);
    tree.symex(&["completions", "tcsh"]).code(2);
}

#[test]
fn there_is_a_manual_page_for_every_command() {
    let tree = Crate::files("man", &[]);
    let page = tree.symex(&["man"]).code(0).stdout;
    assert!(page.contains(".TH cargo-symex 1"), "{page}");
    tree.symex(&["man", "-o", "pages"]).code(0);
    for name in commands() {
        // Hyphens are escaped in such a page.
        let escaped = name.replace('-', "\\-");
        assert!(page.contains(&escaped), "{name}");
        let text = tree.read(&format!("pages/cargo-symex-{name}.1"));
        assert!(text.contains(".SH OPTIONS"), "{text}");
    }
    assert_eq!(tree.read("pages/cargo-symex.1"), page);
    tree.write("file", "");
    tree.symex(&["man", "-o", "file/pages"])
        .code(2)
        .error("failed to write into file/pages");
}
