//! Tests of the client against bitcode processes that end in every possible way, played by shell
//! scripts.

use super::*;

/// Returns a client whose bitcode process is this shell script; standard input is the socket.
fn played_by(script: &str) -> (BitcodeProcess, tempfile::TempDir) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let file = directory.path().join("process");
    // Written by a process of its own: a file that this one has open for writing, or that a process
    // started by another test has inherited so, could not be started.
    let status = Command::new("sh")
        .args(["-c", "printf '%s' \"$1\" > \"$0\" && chmod +x \"$0\""])
        .arg(&file)
        .arg(format!("#!/bin/sh\nread request\n{script}"))
        .status();
    assert!(status.expect("the shell runs").success());
    (BitcodeProcess::new(file), directory)
}

fn error(script: &str) -> String {
    let (process, _directory) = played_by(script);
    let answer = process.translate(Path::new("x.bc"));
    answer.expect_err("no program").to_string()
}

const READS: &str = "printf '%s\\n' '{\"Step\":{\"Read\":\"a.o\"}}' >&0\n";

#[test]
fn an_answer_is_what_was_sent() {
    let (process, _directory) =
        played_by("printf '%s\\nabc' '{\"Translated\":{\"bytes\":3}}' >&0\necho noise");
    let answer = process.translate(Path::new("x.bc"));
    assert_eq!(answer.expect("an answer"), b"abc");
}

#[test]
fn a_refusal_is_an_error_in_its_own_words() {
    let refused = "printf '%s\\n' '{\"Refused\":{\"Link\":{\"NoSuchRoot\":\"f\"}}}' >&0";
    let (process, _directory) = played_by(refused);
    let error = process.translate(Path::new("x.bc")).err();
    assert!(
        matches!(
            &error,
            Some(BuildError::Link {
                target,
                source: symex_bitcode::link::LinkError::NoSuchRoot(root)
            }) if target == "x.bc" && root == "f"
        ),
        "{error:?}"
    );
}

#[test]
fn a_crash_names_the_input_at_work_and_what_was_said() {
    assert_eq!(
        error(&format!("{READS}kill -SEGV $$")),
        "a.o: LLVM cannot read this bitcode (it crashed with signal 11)"
    );
    assert_eq!(
        error(&format!(
            "{READS}echo noise\necho LLVM ERROR: out >&2\nkill -ABRT $$"
        )),
        "a.o: LLVM cannot read this bitcode (it crashed with signal 6: out)"
    );
    assert_eq!(
        error(&format!("{READS}echo LLVM ERROR: no such thing\nexit 1")),
        "a.o: LLVM cannot read this bitcode (it gave up: no such thing)"
    );
    let prepares = "printf '%s\\n' '{\"Step\":\"Prepare\"}' >&0";
    assert_eq!(
        error(&format!("{READS}{prepares}\nkill -BUS $$")),
        "x.bc: LLVM cannot prepare this bitcode (it crashed with signal 7)"
    );
}

#[test]
fn a_process_that_used_up_its_time_had_no_end() {
    assert_eq!(
        error(&format!("{READS}ulimit -St 1\nwhile :; do :; done")),
        "a.o: LLVM cannot read this bitcode (it came to no end)"
    );
}

#[test]
fn an_end_by_others_is_no_crash() {
    let stopped = error(&format!("{READS}kill -KILL $$"));
    assert!(
        stopped
            .starts_with("a.o: the process that reads bitcode was ended from outside (signal: 9"),
        "{stopped}"
    );
}

#[test]
fn no_answer_and_half_an_answer_are_errors() {
    let said = error(&format!(
        "{READS}echo enough\necho said\necho already\nexit 1"
    ));
    assert_eq!(
        said,
        "a.o: the process that reads bitcode gave up (exit status: 1): enough said"
    );
    let half = error("printf '%s\\nab' '{\"Translated\":{\"bytes\":3}}' >&0");
    assert!(half.contains("gave up (exit status: 0)"), "{half}");
    let garbled = error("echo nonsense >&0");
    assert!(garbled.contains("answer that cannot be used"), "{garbled}");
    let other = error(
        "printf '%s\\nabc' '{\"Linked\":{\"bytes\":3,\"info\":{\"harnesses\":[],\"property_tests\":[],\"roots\":[],\"undefined\":[],\"init_array\":[],\"library\":[]}}}' >&0",
    );
    assert!(other.contains("another question"), "{other}");
}

#[test]
fn what_is_not_there_cannot_be_started() {
    let process = BitcodeProcess::new("/nowhere/cargo-symex");
    let error = process.translate(Path::new("x.bc")).err();
    assert!(matches!(error, Some(BuildError::Tool { .. })), "{error:?}");
}
