//! Helpers that run `cargo symex c` and examine its output and the files that it writes.

use serde_json::Value;
use std::process::Command;

use crate::support::{Crate, Run, finish};

/// The JSON objects of a run of `cargo symex c`.
pub struct Said {
    pub lines: Vec<Value>,
}

impl Said {
    #[track_caller]
    pub fn of(run: &Run) -> Self {
        assert!(!run.stderr.contains("panicked at"), "{}", run.stderr);
        Said { lines: run.json() }
    }

    #[track_caller]
    pub fn line(&self, kind: &str) -> &Value {
        let mut found = self.lines.iter().filter(|line| line["type"] == kind);
        let first = found.next();
        first.unwrap_or_else(|| panic!("no {kind} in {:?}", self.lines))
    }

    pub fn verdict(&self) -> &str {
        let finished = self.line("harness-finished");
        finished["verdict"].as_str().expect("a verdict")
    }

    pub fn findings(&self) -> Vec<&Value> {
        let findings = self.lines.iter().filter(|line| line["type"] == "finding");
        findings.collect()
    }
}

#[track_caller]
pub fn json(tree: &Crate, args: &[&str]) -> Said {
    let mut all = vec!["c", "--message-format", "json"];
    all.extend(args);
    Said::of(&tree.symex(&all))
}

/// Returns a finding as one line.
pub fn told(line: &Value) -> String {
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

pub fn c<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["c"], args].concat()
}

/// Runs the command that the head of a reproducer names, in the directory of the sources.
#[track_caller]
pub fn follow(tree: &Crate, reproducer: &str) -> Run {
    let text = tree.read(reproducer);
    let mut lines = text.lines().map(|line| line.trim_start_matches(" * "));
    let command = lines
        .find(|line| line.starts_with("clang"))
        .unwrap_or_else(|| panic!("no command in\n{text}"));
    let mut shell = Command::new("sh");
    // The environment has no variables of this tool. A shell reports a signal as an exit code of
    // 128 or more.
    shell
        .args(["-c", command])
        .current_dir(tree.path())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default());
    finish(shell)
}

pub const SIGABRT: i32 = 128 + 6;

pub const SIGILL: i32 = 128 + 4;

/// Returns the files that a run has written for a program, without the header.
pub fn left_behind(tree: &Crate, program: &str) -> Vec<String> {
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

/// Asserts that a report contains this text.
#[track_caller]
pub fn shows(run: &Run, text: &str) {
    assert!(run.stdout.contains(text), "no {text:?} in\n{}", run.stdout);
}

/// Asserts that a report begins with this text.
#[track_caller]
pub fn begins(run: &Run, text: &str) {
    assert!(
        run.stdout.starts_with(text),
        "no {text:?} at the head of\n{}",
        run.stdout
    );
}

/// Asserts that a finding was confirmed by a native run that aborts.
#[track_caller]
pub fn aborted(run: &Run) {
    shows(run, "= confirmed: natively: killed by SIGABRT");
}
