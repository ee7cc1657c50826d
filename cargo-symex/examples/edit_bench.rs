//! What an edit costs: `cargo symex` beside `cargo test` in a crate that depends on regex,
//! serde_json and chrono.
//!
//! For each of some rounds: a cold build, a run where nothing changed, and one after each of some
//! edits of one line, both by `cargo test` and by `cargo symex` with the filter of one harness.
//! Printed are processor seconds of everything that was started, and what `cargo symex` takes over
//! `cargo test`. The explorations themselves are short.
//!
//! `many` measures a crate with 49 harnesses over 200 dependencies instead: the first run after it
//! was compiled, one where nothing changed, and one after an edit, with at most a millisecond for
//! each harness.
//!
//! `cargo run --release -p cargo-symex --example edit_bench [-- ROUNDS|many]`

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MANIFEST: &str = r#"[package]
name = "edited"
version = "0.1.0"
edition = "2024"

[dependencies]
chrono = "0.4"
regex = "1"
serde_json = "1"

[dev-dependencies]
symex-runtime = { path = "RUNTIME" }

[workspace]
"#;

/// `NUMBER` is what an edit changes.
const LIBRARY: &str = r#"
pub fn clamp(x: u8, low: u8, high: u8) -> u8 {
    if x < low { low } else if x > high { high } else { x }
}

pub fn is_word(text: &str) -> bool {
    regex::Regex::new("^[a-z]+$").unwrap().is_match(text)
}

pub fn number(text: &str) -> Option<i64> {
    serde_json::from_str::<serde_json::Value>(text).ok()?.as_i64()
}

pub fn day(days: i32) -> Option<chrono::NaiveDate> {
    chrono::NaiveDate::from_num_days_from_ce_opt(days)
}

pub fn edited() -> u32 {
    NUMBER
}

#[cfg(test)]
mod tests {
    use super::*;

    #[symex::harness]
    fn uses_none(x: u8, low: u8, high: u8) {
        symex::assume(low <= high && edited() > 0);
        let y = clamp(x, low, high);
        assert!(y >= low && y <= high);
    }

    #[symex::harness]
    fn uses_all(digit: u8) {
        symex::assume(digit < 3 && edited() > 0);
        assert!(is_word("abc"));
        let text = [b'1' + digit];
        let number = number(std::str::from_utf8(&text).unwrap()).unwrap();
        assert!(day(number as i32).is_some());
    }
}
"#;

/// A command line and what it is called in the table.
struct Subject {
    name: &'static str,
    command: Vec<String>,
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("many") => many(),
        rounds => one(rounds.map_or(1, |rounds| rounds.parse().expect("a number of rounds"))),
    }
}

/// The crate with many dependencies.
fn many() {
    let scratch = tempfile::tempdir().expect("a scratch folder");
    let sources = [
        include_str!("edit_bench/many.toml"),
        include_str!("edit_bench/many.rs"),
    ];
    let krate = Krate::new(scratch.path(), sources);
    let tool = tool().to_string_lossy().into_owned();
    let subject = |arguments: &[&str]| Subject {
        name: "many",
        command: std::iter::once(tool.as_str())
            .chain(arguments.iter().copied())
            .map(str::to_owned)
            .collect(),
    };
    let run = subject(&[
        "symex",
        "--timeout=1ms",
        "--replay=off",
        "--message-format=json",
    ]);
    let list = subject(&["symex", "list"]);
    println!("processor seconds");
    let measured = |name: &str, subject: &Subject| {
        println!("{name:<30}{:>8.2}", krate.run(subject, "target"));
    };
    measured("compiled", &list);
    measured("first run", &run);
    measured("nothing changed", &run);
    krate.edit(2);
    measured("compiled after an edit", &list);
    measured("run after an edit", &run);
}

/// The crate with a few.
fn one(rounds: usize) {
    let tool = tool();
    let of_tool = |filter: &str| {
        let arguments = ["symex", filter, "--exact", "--message-format=json"];
        let tool = [tool.to_string_lossy().into_owned()];
        tool.into_iter()
            .chain(arguments.map(str::to_owned))
            .collect()
    };
    let subjects = [
        Subject {
            name: "cargo test",
            command: ["cargo", "test"].map(str::to_owned).to_vec(),
        },
        Subject {
            name: "symex, uses none",
            command: of_tool("tests::uses_none"),
        },
        Subject {
            name: "symex, uses all",
            command: of_tool("tests::uses_all"),
        },
    ];
    println!("processor seconds; in brackets, over what `cargo test` takes");
    println!(
        "{:<22}{:>18}{:>18}{:>18}",
        "", subjects[0].name, subjects[1].name, subjects[2].name
    );
    for round in 1..=rounds {
        let scratch = tempfile::tempdir().expect("a scratch folder");
        let krate = Krate::new(scratch.path(), [MANIFEST, LIBRARY]);
        row(&format!("{round}: cold"), &subjects, |subject| {
            krate.run(subject, &format!("target-{}", subject.name))
        });
        row(&format!("{round}: nothing changed"), &subjects, |subject| {
            krate.run(subject, &format!("target-{}", subject.name))
        });
        for edit in 1..=3 {
            krate.edit(round * 10 + edit);
            row(&format!("{round}: edit {edit}"), &subjects, |subject| {
                krate.run(subject, &format!("target-{}", subject.name))
            });
        }
    }
}

/// Measures each subject and prints the row.
fn row(name: &str, subjects: &[Subject], run: impl Fn(&Subject) -> f64) {
    print!("{name:<22}");
    let mut first = None;
    for subject in subjects {
        let took = run(subject);
        let text = match first {
            None => format!("{took:.2}"),
            Some(first) => format!("{took:.2} ({:+.2})", took - first),
        };
        first = first.or(Some(took));
        print!("{text:>18}");
    }
    println!();
}

/// The crate that is edited.
struct Krate {
    folder: PathBuf,
    library: &'static str,
}

impl Krate {
    fn new(folder: &Path, [manifest, library]: [&'static str; 2]) -> Self {
        let krate = Krate {
            folder: folder.to_owned(),
            library,
        };
        let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../symex-runtime");
        let manifest = manifest.replace("RUNTIME", &runtime.to_string_lossy());
        std::fs::create_dir(folder.join("src")).expect("created");
        std::fs::write(folder.join("Cargo.toml"), manifest).expect("written");
        krate.edit(1);
        let mut fetch = Command::new("cargo");
        let fetched = fetch.arg("fetch").current_dir(folder).output();
        assert!(fetched.is_ok_and(|output| output.status.success()));
        krate
    }

    fn edit(&self, number: usize) {
        let library = self.library.replace("NUMBER", &number.to_string());
        std::fs::write(self.folder.join("src/lib.rs"), library).expect("written");
    }

    /// Processor seconds of a run.
    fn run(&self, subject: &Subject, target: &str) -> f64 {
        let before = children();
        let output = Command::new(&subject.command[0])
            .args(&subject.command[1..])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join(target))
            // What dependencies come to is of this target directory alone, so that a cold run is
            // one.
            .env("SYMEX_PARTS_DIR", self.folder.join(target).join("parts"))
            .env("CI", "1")
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        // A harness that was cut short passes within bounds, or cannot be judged.
        let is_fine = matches!(output.status.code(), Some(0 | 1 | 3));
        assert!(is_fine, "{}: {said}", subject.name);
        children() - before
    }
}

/// Processor seconds of all processes that were waited for, with theirs.
fn children() -> f64 {
    let stat = procfs::process::Process::myself().and_then(|me| me.stat());
    let stat = stat.expect("Linux tells");
    (stat.cutime + stat.cstime) as f64 / procfs::ticks_per_second() as f64
}

/// The command that was built beside this.
fn tool() -> PathBuf {
    let this = std::env::current_exe().expect("a path");
    let folder = this.parent().and_then(Path::parent).expect("a folder");
    let tool = folder.join("cargo-symex");
    assert!(tool.is_file(), "build it first: cargo build --release");
    tool
}
