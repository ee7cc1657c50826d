//! Tests of the world of a C program that is explored unchanged: its arguments, standard input,
//! files and environment variables. Each path must do what a native run with its inputs does: the
//! same output, exit code and files.

mod failing;

use crate::support::{Crate, Run, build_natively, bytes, finish, limited, paths, symex, workspace};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns a program of `tests/command/world`.
fn source(name: &str) -> PathBuf {
    workspace().join("tests/command/world").join(name)
}

/// Explores a program of one file with options.
fn explore(name: &str, source: &str, options: &[&str]) -> Run {
    let tree = Crate::files(&format!("world-{name}"), &[("program.c", source)]);
    let mut args = vec!["bitcode", "program.c", "--message-format", "json"];
    args.extend(options);
    tree.symex(&args)
}

/// Returns the inputs of the only finding: role and bytes.
fn inputs(run: &Run) -> Vec<(Value, Vec<u8>)> {
    let lines = run.json();
    let mut findings = lines.iter().filter(|line| line["type"] == "finding");
    let finding = findings.next().expect("a finding");
    assert!(findings.next().is_none(), "{lines:#?}");
    let inputs = finding["finding"]["inputs"].as_array().expect("inputs");
    inputs
        .iter()
        .map(|input| (input["role"].clone(), bytes(&input["bytes"])))
        .collect()
}

const SECRET: &str = r#"
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv) {
    if (argc != 3 || strcmp(argv[1], "-x") != 0) exit(2);
    if (strcmp(argv[2], "key") == 0) abort();
    return 1;
}
"#;

#[test]
fn symbolic_arguments_follow_those_that_are_given() {
    let run = explore("follow", SECRET, &["--sym-arg", "3", "--", "-x"]).code(1);
    let role = serde_json::json!({"kind": "argument", "number": 2});
    assert_eq!(inputs(&run), [(role, b"key".to_vec())]);
    // Too short for the key.
    explore("short", SECRET, &["--sym-arg", "2", "--", "-x"]).code(0);
}

#[test]
fn numbers_of_arguments_are_all_tried() {
    let counted = r#"
        #include <stdlib.h>
        int main(int argc, char **argv) {
            if (argc == 4 && argv[3][0] == 'q' && argv[4] == 0) abort();
            return 0;
        }"#;
    let run = explore(
        "three",
        counted,
        &["--sym-arg", "1", "--sym-args", "1", "2", "1"],
    )
    .code(1);
    let given = inputs(&run);
    assert_eq!(given.len(), 3);
    assert_eq!(given[2].1, b"q");
    let run = explore("two", counted, &["--sym-args", "0", "2", "1"]).code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
}

#[test]
fn an_argument_ends_with_its_first_zero() {
    let beyond = r#"
        int main(int argc, char **argv) {
            return argv[1][0] == '-' && argv[1][2] == 'n';
        }"#;
    let run = explore("beyond", beyond, &["--sym-arg", "4"]).code(1);
    assert!(run.stdout.contains("out-of-bounds"), "{}", run.stdout);
    let given = inputs(&run);
    assert_eq!(given[0].1[..2], *b"-\0");
    let within = beyond.replace("&& argv", "&& argv[1][1] && argv");
    let run = explore("within", &within, &["--sym-arg", "4"]).code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
}

#[test]
fn variables_of_the_environment_are_seen_by_all_doors() {
    let program = r#"
        #include <stdlib.h>
        #include <string.h>
        extern char **environ;
        int main(int argc, char **argv, char **envp) {
            char *mode = getenv("MODE");
            if (getenv("OTHER") || !mode || strncmp(environ[0], "MODE=", 5) != 0) abort();
            if (environ[0] + 5 != mode || envp[0] != environ[0] || envp[1]) abort();
            if (strcmp(mode, "up") != 0) return 0;
            setenv("LEVEL", "3", 1);
            if (strcmp(environ[1], "LEVEL=3") != 0 || environ[2]) abort();
            unsetenv("MODE");
            if (strcmp(environ[0], "LEVEL=3") != 0 || environ[1]) abort();
            return 0;
        }"#;
    let run = explore("doors", program, &["--sym-env", "MODE:2"]).code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
    let level = program.replace("\"up\") != 0", "\"up\") == 0");
    let run = explore("level", &level, &["--sym-env", "MODE:2"]).code(0);
    assert!(run.stdout.contains("pass-complete"), "{}", run.stdout);
    let wrong = r#"
        #include <stdlib.h>
        int main(void) { if (getenv("A")[0] == 'z') abort(); return 0; }"#;
    let run = explore("wrong", wrong, &["--sym-env", "A:1"]).code(1);
    let role = serde_json::json!({"kind": "variable", "name": "A"});
    assert_eq!(inputs(&run), [(role, b"z".to_vec())]);
}

#[test]
fn a_world_that_cannot_be_is_refused() {
    let tree = Crate::files(
        "world-refused",
        &[("f.c", "int main(void) { return 0; }\nvoid g(void) {}")],
    );
    for (options, message) in [
        (
            &["--sym-args", "2", "1", "1"][..],
            "failed to use --sym-args 2 1 1",
        ),
        (
            &["--sym-env", "A:1", "--sym-env", "A:2"],
            "it is there twice",
        ),
        (&["--sym-env", "A=B:1"], "as the name of a variable"),
        (
            &["--sym-arg", "1", "--entry", "g"],
            "failed to give `g` arguments",
        ),
    ] {
        let args = [&["bitcode", "f.c"], options].concat();
        tree.symex(&args).code(2).error(message);
    }
    tree.symex(&["bitcode", "f.c", "--sym-env", "A"]).code(2);
}

/// Returns the bytes up to the first zero.
fn text(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// Returns the regular files of a folder.
fn files_in(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder).expect("the folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(&path).expect("the file"))
        })
        .collect()
}

/// Replays the inputs of a path natively, under the name that the program has in the engine, and
/// compares.
fn replay(program: &Path, name: &Path, given: &[&str], files: &[(&str, &str)], path: &Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(program);
    command.arg0(name);
    command.current_dir(folder.path()).env_clear().args(given);
    let mut stdin = Vec::new();
    for (name, contents) in files {
        std::fs::write(folder.path().join(name), contents).expect("the file is written");
    }
    for input in path["inputs"].as_array().expect("inputs") {
        let (role, bytes) = (&input["role"], bytes(&input["bytes"]));
        let name = role["name"].as_str().unwrap_or_default();
        match role["kind"].as_str() {
            Some("argument") => {
                command.arg(std::ffi::OsStr::from_bytes(text(&bytes)));
            }
            Some("stdin") => stdin = bytes,
            Some("file") => {
                std::fs::write(folder.path().join(name), bytes).expect("the file is written");
            }
            Some("variable") => {
                command.env(name, std::ffi::OsStr::from_bytes(text(&bytes)));
            }
            _ => panic!("{input}"),
        }
    }
    // The bytes fit into the pipe's buffer, even if nobody reads them.
    let (input, mut to) = std::io::pipe().expect("a pipe");
    to.write_all(&stdin).expect("the input is written");
    drop(to);
    command.stdin(input);
    let output = command.output().expect("the program runs");
    let native = (
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
        output.status.code().map(i64::from),
        files_in(folder.path()),
    );
    let written = path["files"].as_array().expect("files").iter();
    let explored = (
        String::from_utf8_lossy(&bytes(&path["stdout"])).into_owned(),
        String::from_utf8_lossy(&bytes(&path["stderr"])).into_owned(),
        path["exit_code"].as_i64(),
        written
            .map(|file| {
                (
                    file["name"].as_str().expect("a name").to_owned(),
                    bytes(&file["bytes"]),
                )
            })
            .collect(),
    );
    assert_eq!(native, explored, "natively, and as explored: {path}");
}

/// Explores a program of `tests/command/world` with options, and with given arguments and files;
/// each path must agree with its native run. Returns the verdict, and the number of paths.
fn replayed(
    name: &str,
    options: &[&str],
    given: &[&str],
    files: &[(&str, &str)],
) -> (String, usize) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = build_natively(&source(name), folder.path());
    let log = folder.path().join("paths");
    let mut tool = symex(["bitcode", "--message-format", "json", "--timeout", "200s"]);
    tool.arg("--paths-to")
        .arg(&log)
        .arg(source(name))
        .args(options);
    for (name, contents) in files {
        let path = folder.path().join(name);
        std::fs::write(&path, contents).expect("the file is written");
        tool.args(["--file", &format!("{name}={}", path.display())]);
    }
    tool.arg("--").args(given);
    let run = finish(tool);
    let _watch = limited::watch(limited::LIMIT);
    let paths = paths(&log);
    for path in &paths {
        replay(&program, &source(name), given, files, path);
    }
    let completed = run.only()["stats"]["completed"].as_u64();
    assert_eq!(completed, Some(paths.len() as u64), "a line for each path");
    (run.verdict(), paths.len())
}

const COMPLETE: &str = "pass (complete)";

#[test]
fn wc_reads_standard_input_and_files() {
    let (verdict, paths) = replayed("wc.c", &["--sym-stdin", "4"], &[], &[]);
    assert_eq!(verdict, COMPLETE);
    // Each byte has three cases: newline, another space, part of a word.
    assert_eq!(paths, 81);
    let (verdict, paths) = replayed(
        "wc.c",
        &["--sym-file", "a:2", "--sym-stdin", "1"],
        &["-lw", "a", "-", "no"],
        &[],
    );
    assert_eq!((verdict.as_str(), paths), (COMPLETE, 27));
    // The name is symbolic, and may be that of the file, of the directory, of an option, or of
    // none.
    let (verdict, paths) = replayed(
        "wc.c",
        &["--sym-arg", "2", "--sym-stdin", "1", "--sym-file", "A:1"],
        &[],
        &[],
    );
    assert_eq!(
        verdict,
        "pass (bounded: files outside of the working directory were taken to be absent)"
    );
    assert!(paths > 20, "{paths}");
}

#[test]
fn cut_takes_fields_of_lines() {
    let (verdict, paths) = replayed(
        "cut.c",
        &["--sym-arg", "2", "--sym-stdin", "3"],
        &["-f"],
        &[],
    );
    assert_eq!(verdict, COMPLETE);
    assert!(paths > 300, "{paths}");
    let options = ["--sym-arg", "3", "--sym-stdin", "2"];
    let (verdict, _) = replayed("cut.c", &options, &["-f", "2", "-s"], &[]);
    assert_eq!(verdict, COMPLETE);
}

#[test]
fn cut_without_a_field_reads_before_its_list() {
    let options = ["--cflag=-DBUG", "--sym-arg", "2", "--sym-stdin", "1"];
    let source = std::fs::read_to_string(source("cut.c")).expect("the source");
    let given = [&options[..], &["--", "-f"]].concat();
    let run = explore("cut", &source, &given).code(1);
    let given = inputs(&run);
    assert!(
        run.stdout.contains("read of 1 byte at offset -1"),
        "{}",
        run.stdout
    );
    let list = serde_json::json!({"kind": "argument", "number": 2});
    let list = given
        .iter()
        .find(|(role, _)| *role == list)
        .expect("the list");
    assert_eq!(list.1[0], 0, "it is empty");
}

#[test]
fn base64_writes_what_it_reads_in_other_letters() {
    for len in ["0", "1", "2", "4"] {
        let (verdict, _) = replayed(
            "base64.c",
            &["--sym-file", &format!("a:{len}")],
            &["a", "b"],
            &[],
        );
        assert_eq!(verdict, COMPLETE);
    }
    let (verdict, paths) = replayed("base64.c", &["--sym-file", "a:6"], &["-d", "a", "b"], &[]);
    assert_eq!(verdict, COMPLETE);
    assert!(paths > 5, "{paths}");
    let (verdict, _) = replayed("base64.c", &[], &["given", "-"], &[("given", "any text")]);
    assert_eq!(verdict, COMPLETE);
    replayed(
        "base64.c",
        &["--sym-arg", "1"],
        &["given"],
        &[("given", "abc")],
    );
}

#[test]
fn floating_point_numbers_in_texts_are_those_of_the_library() {
    let (verdict, paths) = replayed("numbers.c", &["--sym-arg", "3"], &[], &[]);
    assert_eq!(verdict, COMPLETE);
    assert!(paths > 90, "{paths}");
    // Longer arguments are given in part, to cover all digits and exponents: hexadecimal numbers,
    // words, and text behind a number.
    for given in [
        "0x1.8p3",
        "1e400",
        "-2.5e-320",
        "infinix",
        "nan(",
        "1e+",
        "123456789012345678",
        ".e1",
    ] {
        replayed("numbers.c", &[], &[given], &[]);
    }
    let (verdict, paths) = replayed("numbers.c", &["--sym-arg", "2"], &[], &[]);
    assert_eq!(verdict, COMPLETE);
    let (verdict, printed) = replayed("numbers.c", &["--sym-arg", "2", "--sym-arg", "0"], &[], &[]);
    assert_eq!(verdict, COMPLETE);
    assert!(printed > paths + 100, "{paths} {printed}: a path a value");
}

#[test]
fn texts_of_whole_numbers_are_those_of_the_library() {
    let (verdict, paths) = replayed("whole_numbers.c", &["--sym-arg", "3"], &[], &[]);
    assert_eq!(verdict, COMPLETE);
    // There is not one path per value.
    assert!((100..800).contains(&paths), "{paths}");
    for given in ["-0", "00", "123456", "1234567", "-999999", "-1000000"] {
        replayed("whole_numbers.c", &[], &[given], &[]);
    }
}

#[test]
fn numbers_that_are_only_shown_take_no_paths() {
    let (verdict, paths) = replayed("shown_numbers.c", &["--sym-arg", "3"], &[], &[]);
    assert_eq!(verdict, COMPLETE);
    assert!(paths < 100, "{paths}");
    for given in ["0", "-7", "99", "1234567"] {
        replayed("shown_numbers.c", &[], &[given], &[]);
    }
}

#[test]
fn a_number_whose_text_is_measured_is_a_gap() {
    let measured = r#"
        #include <stdio.h>
        void symex_make_symbolic(void *, unsigned long, const char *);
        int main(void) {
            double x;
            symex_make_symbolic(&x, sizeof x, "x");
            return printf("%f\n", x) > 9;
        }"#;
    let run = explore("measured", measured, &[]).code(3);
    let text = &run.stdout;
    assert!(
        text.contains("printf of a symbolic floating-point number"),
        "{text}"
    );
}

#[test]
fn calls_on_files_do_what_the_system_does() {
    let given = [("given", "first line\nsecond\nno end")];
    let (verdict, paths) = replayed("calls.c", &[], &[], &given);
    assert_eq!(paths, 1);
    assert_eq!(
        verdict,
        "pass (bounded: directories were taken to list files in the order in which they were made, \
         numbers, owners and times of files were taken to be fixed ones)"
    );
}

#[test]
fn waiting_for_files_is_what_the_system_does() {
    let (verdict, paths) = replayed("events.c", &[], &[], &[("given", "some contents")]);
    assert_eq!(paths, 1);
    assert_eq!(
        verdict,
        "pass (bounded: numbers, owners and times of files were taken to be fixed ones, \
         the clock was taken to start at a fixed time, \
         the numbers of process and user were taken to be fixed ones)"
    );
}

#[test]
fn links_temporary_files_and_mappings_do_what_the_system_does() {
    let given = [("given", "some text")];
    let (verdict, paths) = replayed("links.c", &[], &[], &given);
    assert_eq!(paths, 1);
    assert_eq!(
        verdict,
        "pass (bounded: directories were taken to list files in the order in which they were made, \
         names of temporary files were taken to be fixed ones, \
         numbers, owners and times of files were taken to be fixed ones)"
    );
}

#[test]
fn a_mapping_shares_symbolic_bytes_with_its_file() {
    let program = r#"
        #include <stdlib.h>
        #include <fcntl.h>
        #include <sys/mman.h>
        #include <unistd.h>
        int main(void) {
            char b;
            int fd = open("f", O_RDWR);
            char *map = mmap(NULL, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            map[map[0] & 3] = 'x';
            if (pread(fd, &b, 1, 2) == 1 && b == 'x' && map[3] == 'q') abort();
            return 0;
        }"#;
    let run = explore("mapping", program, &["--sym-file", "f:4"]).code(1);
    let given = inputs(&run);
    let file = &given[0].1;
    let twice = r#"
        #include <fcntl.h>
        #include <sys/mman.h>
        int main(void) {
            int fd = open("f", O_RDWR);
            char *a = mmap(0, 4, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
            char *b = mmap(0, 4, PROT_READ, MAP_SHARED, fd, 0);
            a[0] = 1;
            return b[0];
        }"#;
    // A write to one mapping would have to be visible in the other.
    explore("mapped-twice", twice, &["--sym-file", "f:4"]).code(3);
    assert!(
        file[3] == b'q' && (file[0] & 3 == 2 || file[2] == b'x'),
        "{file:?}"
    );
}

#[test]
fn names_of_the_system_are_told_and_said_to_be_fixed() {
    let program = r#"
        #include <stdlib.h>
        #include <string.h>
        #include <sys/utsname.h>
        #include <unistd.h>
        int main(void) {
            struct utsname all;
            char host[65];
            if (uname(&all) != 0 || strcmp(all.sysname, "Linux") != 0) abort();
            if (gethostname(host, sizeof host) != 0 || strcmp(host, all.nodename) != 0) abort();
            if (gethostname(host, 2) != -1 || strcmp(all.machine, "x86_64") != 0) abort();
            return 0;
        }"#;
    let run = explore("names", program, &[]).code(0);
    assert_eq!(
        run.verdict(),
        "pass (bounded: the names of system and machine were taken to be fixed ones)"
    );
}

#[test]
fn numbers_are_read_from_symbolic_text() {
    let program = r#"
        #include <stdio.h>
        #include <stdlib.h>
        int main(void) {
            int x; char word[4];
            if (scanf("%d %3[a-z]", &x, word) == 2 && x == -7 && word[0] == 'q') abort();
            return 0;
        }"#;
    let run = explore("scanf", program, &["--sym-stdin", "4"]).code(1);
    let given = inputs(&run);
    let read = String::from_utf8_lossy(&given[0].1).into_owned();
    assert!(
        read.trim_start().starts_with("-7") && read.contains('q'),
        "{read:?}"
    );
    explore("scanf-short", program, &["--sym-stdin", "2"]).code(0);
}

#[test]
fn what_is_not_described_is_said() {
    let reads = r#"
        #include <stdio.h>
        int main(void) { char b[4]; FILE *f = fopen("x", "r"); return f ? fread(b, 1, 4, f) : getchar() == 3; }"#;
    let verdict = |name: &str, options: &[&str]| explore(name, reads, options).code(0).verdict();
    let stdin = "standard input was taken to be empty";
    let empty = "the file system was taken to hold nothing but an empty working directory";
    assert_eq!(
        verdict("none", &[]),
        format!("pass (bounded: {stdin}, {empty})")
    );
    assert_eq!(
        verdict("stdin", &["--sym-stdin", "1"]),
        format!("pass (bounded: {empty})")
    );
    assert_eq!(
        verdict("other", &["--sym-file", "y:1"]),
        format!("pass (bounded: {stdin})")
    );
    assert_eq!(
        verdict("both", &["--sym-file", "y:1", "--sym-stdin", "1"]),
        COMPLETE
    );
    assert_eq!(verdict("file", &["--sym-file", "x:1"]), COMPLETE);
}

#[test]
fn options_are_read_and_functions_called_at_exit_as_in_the_c_library() {
    let (verdict, paths) = replayed("options.c", &["--sym-arg", "3", "--sym-arg", "1"], &[], &[]);
    assert_eq!(verdict, COMPLETE);
    assert!(paths > 20, "{paths}");
    for given in [
        &["x", "-a", "--", "-l"][..],
        &["--all", "--le=4", "y", "--ver"],
        &["-l", "5", "-mx", "z", "-m", "--maybe", "--maybe=q"],
        &["--no=3", "--all=1", "--level"],
        &["-l"],
        &["-al7", "b", "-a", "c"],
    ] {
        let (verdict, paths) = replayed("options.c", &["--sym-stdin", "0"], given, &[]);
        assert_eq!((verdict.as_str(), paths), (COMPLETE, 1));
    }
    // The symbolic argument belongs to `-l`; each of its digits takes at least one path.
    replayed("options.c", &["--sym-arg", "2"], &["-l"], &[]);
}
