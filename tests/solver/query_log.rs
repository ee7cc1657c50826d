//! Tests of `--query-log` and `replay-queries`: the queries of a run get the same answers when they
//! are replayed, whatever stages are left out, and a file that is no such log is refused with one
//! message.

use crate::support::{self, Run, finish, workspace};
use std::path::{Path, PathBuf};

fn symex(words: &[&str], files: &[&Path]) -> Run {
    let mut command = support::symex(words);
    command.args(files);
    finish(command)
}

/// Records the queries of a C program.
fn record(folder: &Path, name: &str) -> PathBuf {
    let source = workspace().join(format!("tests/programs/c/{name}.c"));
    let log = folder.to_string_lossy();
    symex(
        &["bitcode", "--query-log", &log, "--smtlib-log", &log],
        &[&source],
    );
    folder.join("main.queries")
}

/// Returns the number of queries in a log.
fn asked(text: &str) -> usize {
    text.lines().filter(|line| line.starts_with("ask ")).count()
}

#[test]
fn a_recorded_run_is_replayed_by_any_chain() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["table_of_functions", "string_functions", "off_by_one_size"] {
        let log = record(folder.path(), name);
        let text = std::fs::read_to_string(&log).expect("a log");
        let count = asked(&text);
        assert!(count > 0, "{name}");
        for words in [
            &["replay-queries", "--cross-check"][..],
            &[
                "replay-queries",
                "--without",
                "query-cache",
                "--without",
                "small-domain",
            ],
            &["replay-queries", "--bare", "--slowest", "1"],
        ] {
            let run = symex(words, &[&log]).code(0);
            let told = format!("{count} queries: ");
            assert!(
                run.stdout.contains(&told),
                "{name} {words:?}: {}",
                run.stdout
            );
        }
    }
}

/// Returns the lines of a log that are not for people.
fn lines(log: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(log).expect("a log");
    let lines = text.lines().filter(|line| !line.starts_with(';'));
    lines.map(str::to_owned).collect()
}

#[test]
fn the_same_run_writes_the_same_queries() {
    let folders = [0, 1].map(|_| tempfile::tempdir().expect("a folder"));
    let logs = folders
        .each_ref()
        .map(|folder| lines(&record(folder.path(), "string_functions")));
    assert_eq!(logs[0], logs[1]);
}

#[test]
fn a_replay_writes_the_log_that_it_was_given() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = record(folder.path(), "string_functions");
    let again = folder.path().join("again");
    let words = ["replay-queries", "--query-log", &again.to_string_lossy()];
    symex(&words, &[&log]).code(0);
    assert_eq!(lines(&again.join("main.queries")), lines(&log));
    let own = [
        "replay-queries",
        "--query-log",
        &folder.path().to_string_lossy(),
    ];
    symex(&own, &[&log]).code(2).error("would replace it");
}

#[test]
fn queries_that_reach_z3_are_written_as_smt_lib() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = record(folder.path(), "string_functions");
    let smtlib = folder.path().join("again");
    let words = [
        "replay-queries",
        "--bare",
        "--smtlib-log",
        &smtlib.to_string_lossy(),
    ];
    symex(&words, &[&log]).code(0);
    let written = std::fs::read_dir(smtlib.join("main")).expect("a folder");
    let mut texts = written.map(|entry| std::fs::read_to_string(entry.expect("an entry").path()));
    assert!(texts.all(|text| text.expect("a text").contains("(check-sat)")));
}

#[test]
fn what_cannot_be_replayed_is_told_in_one_message() {
    let folder = tempfile::tempdir().expect("a folder");
    let log = record(folder.path(), "table_of_functions");
    let text = std::fs::read_to_string(&log).expect("a log");
    let changed = |from: &str, to: &str| {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text);
        std::fs::write(&log, changed).expect("written");
        symex(&["replay-queries"], &[&log])
    };
    let run = changed("(let t1 ", "(let t1 (");
    let run = run.code(2);
    let told: Vec<&str> = run.stderr.lines().collect();
    assert_eq!(told.len(), 1, "{}", run.stderr);
    assert!(told[0].starts_with("error: failed to replay") && told[0].contains(": line "));
    let (from, to) = if text.contains("\nunsat\n") {
        ("\nunsat\n", "\nsat\n")
    } else {
        ("\nsat\n", "\nunsat\n")
    };
    let run = changed(from, to).code(1);
    assert!(
        run.stdout.contains("contradiction at line "),
        "{}",
        run.stdout
    );
    symex(&["replay-queries"], &[&folder.path().join("none")]).code(2);
    symex(&["replay-queries", "--without", "luck"], &[&log]).code(2);
}
