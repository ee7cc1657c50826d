//! Tests of system calls that are made to fail: each path must do what a native run does in which
//! the same call fails.

use super::{explore, source};
use crate::support::{Crate, limited, paths};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;

/// Explores a part of `failing.c`, with each path run natively; returns the calls that failed on
/// some path, and the number of paths.
fn replayed(part: &str, options: &[&str]) -> (BTreeSet<String>, u64) {
    let tree = Crate::files(
        &format!("failing-{part}-{}", options.concat()),
        &[
            (
                "failing.c",
                &std::fs::read_to_string(source("failing.c")).expect("the source"),
            ),
            ("in", "one\n2 three\nfour"),
        ],
    );
    let mut args = vec!["c", "failing.c", "--message-format", "json"];
    args.extend(["--arg", part, "--file", "in", "--replay-paths", "1000"]);
    args.extend(["--paths-to", "paths"]);
    args.extend(options);
    let run = tree.symex(&args).code(0);
    let finished = run.only();
    let completed = finished["stats"]["completed"].as_u64();
    let native = &finished["native_paths"];
    assert_eq!(native["ran"].as_u64(), completed, "{native}");
    assert_eq!(native["agree"].as_u64(), completed, "{native}");
    let paths = paths(&tree.path().join("paths"));
    let failed = paths.iter().flat_map(|path| {
        let inputs = path["inputs"].as_array().expect("inputs").clone();
        inputs
            .into_iter()
            .map(|input| input["role"]["call"].as_str().expect("a call").to_owned())
    });
    (failed.collect(), completed.unwrap_or(0))
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn calls_on_descriptors_fail_as_they_do_natively() {
    let all = [
        "open",
        "read",
        "pread",
        "readv",
        "write",
        "pwrite",
        "writev",
        "close",
        "lseek",
        "fstat",
        "ftruncate",
        "fsync",
        "mmap",
        "pipe",
        "dup",
    ];
    let (failed, one) = replayed("d", &["--max-fail", "1"]);
    assert_eq!(failed, set(&all));
    let few = ["--max-fail", "2", "--fail-calls", "open,read,close"];
    let (failed, _) = replayed("d", &few);
    assert_eq!(failed, set(&["open", "read", "pread", "readv", "close"]));
    // Without failures there is one path, else one more for each way in which a call fails.
    let (failed, paths) = replayed("d", &["--max-fail", "0"]);
    assert_eq!((failed.len(), paths), (0, 1));
    assert!(one > 25, "{one}");
}

#[test]
fn streams_fail_where_their_files_do() {
    let (failed, paths) = replayed("s", &["--max-fail", "1"]);
    assert_eq!(failed, set(&["open", "read", "write", "close"]));
    assert!(paths > 20, "{paths}");
    replayed("s", &["--max-fail", "2", "--fail-calls", "write"]);
}

#[test]
fn calls_on_names_fail_as_they_do_natively() {
    let (failed, _) = replayed(
        "n",
        &[
            "--max-fail",
            "1",
            "--fail-calls",
            "mkdir,stat,rename,open,unlink,chdir,getcwd",
        ],
    );
    let all = [
        "mkdir", "stat", "rename", "open", "unlink", "chdir", "getcwd",
    ];
    assert_eq!(failed, set(&all));
}

#[test]
fn memory_fails_on_request() {
    let (failed, _) = replayed("m", &["--max-fail", "1"]);
    assert_eq!(failed, set(&["write"]));
    let (failed, paths) = replayed("m", &["--max-fail", "4", "--fail-calls", "malloc"]);
    // If the first allocation fails there are no others; each of the others may fail or not.
    assert_eq!((failed, paths), (set(&["malloc"]), 9));
}

const CARELESS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <fcntl.h>
int main(void) {
    char *buffer = (char *)malloc(8);
    if (!buffer)
        return 1;
    int file = open("in", O_RDONLY);
    if (file < 0 || read(file, buffer, 8) < 0) {
        perror("in");
        free(buffer);
    }
    free(buffer);
    close(file);
    return 0;
}
"#;

#[test]
fn careless_errors_are_found_confirmed_and_left_behind() {
    for name in ["careless.c", "careless.cpp"] {
        let tree = Crate::files(
            &format!("failing-{name}"),
            &[(name, CARELESS), ("in", "text")],
        );
        let options = ["c", name, "--file", "in", "--message-format", "json"];
        tree.symex(&options).code(0);
        let failing = [
            &options[..],
            &["--max-fail", "1", "--write-tests", "always"],
        ]
        .concat();
        let run = tree.symex(&failing).code(1);
        let lines = run.json();
        let found: Vec<&Value> = lines
            .iter()
            .filter(|line| line["type"] == "finding")
            .collect();
        assert_eq!(found.len(), 1, "{found:#?}");
        assert_eq!(found[0]["kind"], "double-free");
        assert_eq!(found[0]["replay"]["status"], "confirmed", "{}", found[0]);
        let role = &found[0]["finding"]["inputs"][0]["role"];
        assert_eq!(role["kind"], "failure", "{role}");
        let script = found[0]["test"]["path"].as_str().expect("a script");
        let script = tree.path().join(script);
        let mut alone = Command::new("sh");
        let output = limited::output(alone.arg(script).current_dir(tree.path()));
        assert!(!output.status.success());
    }
}

#[test]
fn what_failed_is_told_in_words() {
    let program = r#"
        #include <stdlib.h>
        #include <unistd.h>
        int main(void) {
            char b[4];
            if (read(0, b, 4) == 1 || read(0, b, 4) < 0) abort();
            return 0;
        }"#;
    let tree = Crate::files("failing-words", &[("program.c", program)]);
    let run = tree.symex(&["c", "program.c", "--sym-stdin", "8", "--max-fail", "1"]);
    let run = run.code(1);
    assert!(
        run.stdout.contains("read #1 of fd 0 is of 1 byte only")
            || run.stdout.contains("read #2 of fd 0 fails with EIO"),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("confirmed: natively: killed by SIGABRT"),
        "{}",
        run.stdout
    );
    // For a program that handles the failure, the pass names the bound.
    let right =
        "#include <unistd.h>\nint main(void) { char b[4]; return read(0, b, 4) < 0 ? 2 : 0; }";
    let run = explore(
        "failing-right",
        right,
        &["--sym-stdin", "4", "--max-fail", "1"],
    )
    .code(0);
    assert_eq!(
        run.verdict(),
        "pass (bounded: at most one call was taken to fail that need not)"
    );
}

#[test]
fn a_call_that_cannot_fail_is_refused() {
    let program = "int main(void) { return 0; }";
    explore(
        "failing-name",
        program,
        &["--max-fail", "1", "--fail-calls", "strlen"],
    )
    .code(2);
    explore("failing-alone", program, &["--fail-calls", "read"]).code(2);
}
