//! Tests of stored verdicts: when they are used again, what is never kept, and that no damage to
//! their file makes a run fail or go wrong.
//!
//! The tests here share a target directory that no other test uses, one after the other; each
//! begins without verdicts.

mod damage;

use crate::support::{self, Crate, Run, TMPDIR, manifest};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static ALONE: Mutex<()> = Mutex::new(());

/// A crate whose verdicts no other test touches.
struct Alone {
    tree: Crate,
    target: PathBuf,
    _lock: MutexGuard<'static, ()>,
}

const LIBRARY: &str = r#"
pub mod parts;
pub mod others;

#[cfg(test)]
mod tests {
    #[symex::harness]
    fn classes(data: [u8; 3]) {
        let mut found = 0;
        for byte in data {
            found += crate::parts::class(byte);
        }
        assert!(found <= 6);
    }

    #[symex::harness]
    fn divides(a: u8, b: u8) {
        crate::parts::quotient(a, b);
    }
}
"#;

const PARTS: &str = r#"
pub fn class(byte: u8) -> u32 {
    match byte {
        b'a'..=b'z' => std::hint::black_box(1),
        b'0'..=b'9' => std::hint::black_box(2),
        _ => 0,
    }
}

pub fn quotient(a: u8, b: u8) -> u8 {
    a / b
}
"#;

const OTHERS: &str = r#"
pub fn other(x: u32) -> u32 {
    x + 1
}
"#;

impl Alone {
    fn new(name: &str) -> Self {
        let lock = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let files = [
            ("Cargo.toml", manifest(name)),
            ("src/lib.rs", LIBRARY.to_owned()),
            ("src/parts.rs", PARTS.to_owned()),
            ("src/others.rs", OTHERS.to_owned()),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(f, t)| (*f, t.as_str())).collect();
        let alone = Alone {
            tree: Crate::files(name, &files),
            target: Path::new(TMPDIR).join("cache"),
            _lock: lock,
        };
        alone.forget();
        alone
    }

    /// Returns the folder of the verdicts.
    fn folder(&self) -> PathBuf {
        self.target.join("symex/verdicts")
    }

    fn forget(&self) {
        let folder = self.folder();
        if folder.is_dir() {
            std::fs::remove_dir_all(&folder).expect("removed");
        } else if folder.exists() {
            std::fs::remove_file(&folder).expect("removed");
        }
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = self.tree.symex_command(args);
        command.env("CARGO_TARGET_DIR", &self.target);
        command
    }

    #[track_caller]
    fn symex(&self, args: &[&str]) -> Run {
        support::finish(self.command(args))
    }

    /// Returns the harnesses that were not explored, in a run that writes no tests and has no
    /// warning.
    #[track_caller]
    fn cached(&self, args: &[&str]) -> Vec<String> {
        let run = self.json(args);
        assert_eq!(warnings(&run), [""; 0]);
        cached(&run)
    }

    #[track_caller]
    fn json(&self, args: &[&str]) -> Run {
        let form = ["--message-format", "json", "--no-write"];
        self.symex(&[&form, args].concat())
    }
}

#[track_caller]
fn cached(run: &Run) -> Vec<String> {
    let finished = run.finished();
    assert!(!finished.is_empty(), "{}\n{}", run.stdout, run.stderr);
    let cached = finished
        .into_iter()
        .filter(|(_, end)| end["cached"] == true);
    cached.map(|(name, _)| name).collect()
}

/// Returns the lines of the run about the store.
fn warnings(run: &Run) -> Vec<&str> {
    let about = |line: &&str| line.contains("verdicts") || line.starts_with("warning");
    run.stderr.lines().filter(about).collect()
}

/// Asserts that the verdicts are right.
#[track_caller]
fn verdicts_are_right(run: &Run) {
    let finished = run.finished();
    let verdict = |name: &str| finished[name]["verdict"].as_str().map(str::to_owned);
    assert_eq!(verdict("tests::classes").as_deref(), Some("pass-complete"));
    assert_eq!(verdict("tests::divides").as_deref(), Some("bug"));
    assert_eq!(run.code, Some(1));
}

const BOTH: [&str; 2] = ["tests::classes", "tests::divides"];
const NONE: [&str; 0] = [];

#[test]
fn an_unchanged_harness_is_reported_at_once_and_the_same() {
    let alone = Alone::new("cache_same");
    let first = alone.json(&["--jobs", "2"]);
    let second = alone.json(&["--jobs", "1"]);
    verdicts_are_right(&first);
    verdicts_are_right(&second);
    assert_eq!(cached(&first), NONE);
    assert_eq!(cached(&second), BOTH);
    let without_mark = |run: &Run| -> Vec<Value> {
        let mut lines = run.json();
        for line in &mut lines {
            line.as_object_mut().expect("an object").remove("cached");
        }
        lines
    };
    assert_eq!(without_mark(&first), without_mark(&second));
    let summary = second.json().pop().expect("a summary");
    assert_eq!(summary["cached"], 2);

    // The report for people.
    let fresh = alone.symex(&["--no-write", "--no-cache"]).code(1);
    let again = alone.symex(&["--no-write"]).code(1);
    assert!(
        again
            .stdout
            .contains("tests::classes ... pass (complete) [cached]\n")
    );
    assert!(again.stdout.contains("tests::divides ... bug [cached]\n"));
    assert!(
        again
            .stdout
            .ends_with("1 bug, 1 pass (complete); 2 cached\n")
    );
    let mark = again
        .stdout
        .replace(" [cached]", "")
        .replace("; 2 cached", "");
    let time = |line: &str| match line.strip_suffix("   cached") {
        Some(before) => format!("{} [TIME]", before.trim_end()),
        None => line.to_owned(),
    };
    let mark: Vec<String> = mark.lines().map(time).collect();
    assert_eq!(
        alone.tree.redact(&fresh.stdout),
        alone.tree.redact(&mark.join("\n"))
    );

    // The report in libtest's form.
    let libtest = alone.symex(&["--no-write", "--format", "pretty"]).code(1);
    assert!(
        libtest.stdout.contains("test tests::classes ... ok"),
        "{}",
        libtest.stdout
    );
    assert!(
        libtest.stdout.contains("verdict: bug [cached]"),
        "{}",
        libtest.stdout
    );
    assert!(
        libtest
            .stderr
            .contains("tests::classes: pass (complete) [cached]")
    );
}

#[test]
fn only_what_a_harness_reaches_makes_it_new() {
    let alone = Alone::new("cache_reach");
    assert_eq!(alone.cached(&[]), NONE);
    // A function that no harness calls, and one more.
    alone.tree.write(
        "src/others.rs",
        &OTHERS.replace("x + 1", "x.rotate_left(3) ^ 0x5555"),
    );
    assert_eq!(alone.cached(&[]), BOTH);
    let more = format!(
        "{OTHERS}\npub static TABLE: [u8; 3] = [1, 2, 3];\npub fn more() -> String {{ format!(\"{{:?}}\", TABLE) }}\n"
    );
    alone.tree.write("src/others.rs", &more);
    assert_eq!(alone.cached(&[]), BOTH);
    // Another harness, which reaches what was not there before.
    let third = "    #[symex::harness]\n    fn third(x: u32) {\n        symex::assume(x < 9);\n        assert!(crate::others::more().len() > x as usize);\n        crate::others::other(x);\n    }\n}\n";
    let library = format!(
        "{}{third}",
        LIBRARY.trim_end().strip_suffix('}').expect("a module")
    );
    alone.tree.write("src/lib.rs", &library);
    assert_eq!(alone.cached(&[]), BOTH);
    assert_eq!(alone.cached(&[]).len(), 3);
    // A function that one of them calls.
    alone
        .tree
        .write("src/parts.rs", &PARTS.replace("b'0'..=b'9'", "b'0'..=b'8'"));
    assert_eq!(alone.cached(&[]), ["tests::divides", "tests::third"]);
    assert_eq!(alone.cached(&[]).len(), 3);
    // Lines are in the report.
    alone.tree.write(
        "src/parts.rs",
        &PARTS.replace("pub fn quotient", "\npub fn quotient"),
    );
    let run = alone.json(&[]);
    verdicts_are_right(&run);
    assert!(!cached(&run).contains(&"tests::divides".to_owned()));
    // Back to the first text.
    alone.tree.write("src/parts.rs", PARTS);
    assert_eq!(alone.cached(&[]).len(), 3);
}

#[test]
fn every_setting_of_the_exploration_counts() {
    let alone = Alone::new("cache_settings");
    assert_eq!(alone.cached(&[]), NONE);
    for setting in [
        ["--memory-model", "forking"],
        ["--max-paths", "2"],
        ["--timeout", "50s"],
        ["--seed", "1"],
        ["--query-timeout", "19s"],
        ["--pre-runs", "5"],
    ] {
        assert_eq!(alone.cached(&setting), NONE, "{setting:?}");
        assert_eq!(alone.cached(&setting), BOTH, "{setting:?}");
    }
    // A filter or an option of the report does not change verdicts.
    assert_eq!(alone.cached(&["--stats", "classes"]), BOTH[..1]);
    assert_eq!(alone.cached(&["--replay=off"]), BOTH);
    // A bound on the number of paths does not depend on time, so the verdict is stored.
    let bounded = alone.json(&["--max-paths", "2"]).finished();
    assert_eq!(bounded["tests::classes"]["verdict"], "pass-bounded");
    // Attributes are settings, too.
    let marked = LIBRARY.replace("#[symex::harness]", "#[symex::harness(max_paths = 1000)]");
    alone.tree.write("src/lib.rs", &marked);
    assert_eq!(alone.cached(&[]), NONE);
}

#[test]
fn a_bug_is_confirmed_anew_and_its_test_written() {
    let alone = Alone::new("cache_bug");
    assert_eq!(alone.cached(&["divides"]), NONE);
    let run = alone
        .symex(&["divides", "--message-format", "json"])
        .code(1);
    assert_eq!(cached(&run), ["tests::divides"]);
    let lines = run.json();
    let finding = lines
        .iter()
        .find(|line| line["type"] == "finding")
        .expect("a finding");
    assert_eq!(finding["replay"]["status"], "confirmed");
    assert_eq!(finding["test"]["status"], "written");
    assert!(
        alone
            .tree
            .read("symex-regressions/src/lib/tests/divides.rs")
            .contains("divides(")
    );
    // Native results are not cached: the replay decides again.
    let run = alone.json(&["divides", "--replay=off"]);
    assert_eq!(cached(&run), ["tests::divides"]);
    let lines = run.json();
    let finding = lines
        .iter()
        .find(|line| line["type"] == "finding")
        .expect("a finding");
    assert_eq!(finding["replay"]["status"], "skipped");
}

#[test]
fn without_the_cache_nothing_is_read_or_written() {
    let alone = Alone::new("cache_without");
    assert_eq!(alone.cached(&["--no-cache"]), NONE);
    assert!(!alone.folder().exists());
    assert_eq!(alone.cached(&[]), NONE);
    assert_eq!(alone.cached(&["--no-cache"]), NONE);
    assert_eq!(alone.cached(&[]), BOTH);
    // Queries can only be logged if they are asked.
    let folder = alone.tree.path().join("queries");
    let folder = folder.display().to_string();
    for log in ["--query-log", "--smtlib-log"] {
        assert_eq!(alone.cached(&[log, &folder]), NONE, "{log}");
    }
    for harness in ["classes", "divides"] {
        let log = alone.tree.read(&format!("queries/tests.{harness}.queries"));
        assert!(log.contains("\nask "), "{log}");
    }
    assert_eq!(alone.cached(&[]), BOTH);
}

const BOUNDS: &str = r#"
#[cfg(test)]
mod tests {
    #[symex::harness]
    fn long(data: [u8; 32]) {
        let mut ones = 0u32;
        for byte in data {
            for bit in 0..8 {
                if byte >> bit & 1 == 1 {
                    ones = std::hint::black_box(ones + 1);
                }
            }
        }
        assert!(ones < 257);
    }

    #[symex::harness]
    fn assembly(x: u8) {
        if x == 3 {
            unsafe { std::arch::asm!("nop") }
        }
    }

    #[symex::harness]
    fn placement(x: u8) {
        let (a, b) = (Box::new(x), Box::new(x));
        let order = &raw const *a as usize > &raw const *b as usize;
        if std::hint::black_box(order) {
            assert!(*a == x);
        }
    }
}
"#;

#[test]
fn what_the_clock_decided_is_not_kept() {
    let alone = Alone::new("cache_clock");
    alone.tree.write("src/lib.rs", BOUNDS);
    for _ in 0..2 {
        // In this order no path comes to its end in that time.
        let run = alone.json(&[
            "long",
            "--timeout",
            "1s",
            "--search",
            "bfs",
            "--merge",
            "off",
        ]);
        assert_eq!(cached(&run), NONE);
        let text = &run.finished()["tests::long"]["verdict_text"];
        assert_eq!(text, "inconclusive (timeout)", "{text}");
    }
    // Verdicts about unsupported operations are stored.
    let rest = ["assembly", "placement"];
    assert_eq!(alone.cached(&rest), NONE);
    let run = alone.json(&rest);
    assert_eq!(cached(&run), ["tests::assembly", "tests::placement"]);
    let finished = run.finished();
    assert_eq!(finished["tests::assembly"]["verdict"], "inconclusive");
    let stats = &finished["tests::placement"]["stats"];
    assert_ne!(stats["by_address"], 0);
    assert_eq!(finished["tests::assembly"]["stats"]["by_address"], 0);
    // The placement of objects depends on the rest of the program.
    let library = format!(
        "{BOUNDS}\n#[cfg(test)]\nmod more {{\n    #[symex::harness]\n    fn more(x: u8) {{\n        assert!(x < 255);\n    }}\n}}\n"
    );
    alone.tree.write("src/lib.rs", &library);
    assert_eq!(alone.cached(&rest), ["tests::assembly"]);
    assert_eq!(alone.cached(&rest), ["tests::assembly", "tests::placement"]);
}

/// A harness with queries that only the solver answers.
const HARD: &str = r#"
#[cfg(test)]
mod tests {
    #[symex::harness]
    fn products(x: u16, y: u16) {
        let mixed = x.wrapping_mul(y ^ x.rotate_left(7)) ^ (y >> 3);
        if mixed == 0x5679 {
            assert!(x.wrapping_mul(x) ^ y.wrapping_mul(3) != 77);
        }
    }
}
"#;

#[test]
fn answers_serve_runs_whose_verdict_is_not_known() {
    let alone = Alone::new("cache_answers");
    alone.tree.write("src/lib.rs", HARD);
    let run = |args: &[&str]| {
        let run = alone.json(args);
        assert_eq!(warnings(&run), [""; 0]);
        let end = &run.finished()["tests::products"];
        assert_eq!(end["cached"], false);
        let asked = end["stats"]["solver_queries"].as_u64();
        let said = (end["verdict"].clone(), end["findings"].clone());
        (asked.expect("a number"), said)
    };
    let (first, said) = run(&["--max-paths", "1000"]);
    assert!(first > 0);
    // Another setting, so that it is explored again; the answers are the same.
    assert_eq!(run(&["--max-paths", "1001"]), (0, said.clone()));
    assert_eq!(run(&["--max-paths", "1002", "--no-cache"]), (first, said));
}
