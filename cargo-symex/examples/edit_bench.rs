//! What an edit costs: `cargo symex` beside `cargo test` in a crate that depends on regex, serde_json and chrono.
//!
//! For each of some rounds: a cold build, a run where nothing changed, and one after each of some edits of one line, both by
//! `cargo test` and by `cargo symex` with the filter of one harness. Printed are processor seconds of everything that was started,
//! and what `cargo symex` takes over `cargo test`. The explorations themselves are short.
//!
//! `cargo run --release -p cargo-symex --example edit_bench [-- ROUNDS]`

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
    let rounds: usize = std::env::args()
        .nth(1)
        .map_or(1, |rounds| rounds.parse().expect("a number of rounds"));
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
        let krate = Krate::new(scratch.path());
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
}

impl Krate {
    fn new(folder: &Path) -> Self {
        let krate = Krate {
            folder: folder.to_owned(),
        };
        let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../symex-runtime");
        let manifest = MANIFEST.replace("RUNTIME", &runtime.to_string_lossy());
        std::fs::create_dir(folder.join("src")).expect("created");
        std::fs::write(folder.join("Cargo.toml"), manifest).expect("written");
        krate.edit(1);
        let mut fetch = Command::new("cargo");
        let fetched = fetch.arg("fetch").current_dir(folder).output();
        assert!(fetched.is_ok_and(|output| output.status.success()));
        krate
    }

    fn edit(&self, number: usize) {
        let library = LIBRARY.replace("NUMBER", &number.to_string());
        std::fs::write(self.folder.join("src/lib.rs"), library).expect("written");
    }

    /// Processor seconds of a run.
    fn run(&self, subject: &Subject, target: &str) -> f64 {
        let before = children();
        let output = Command::new(&subject.command[0])
            .args(&subject.command[1..])
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.folder.join(target))
            .env("CI", "1")
            .stdin(Stdio::null())
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}: {said}", subject.name);
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
