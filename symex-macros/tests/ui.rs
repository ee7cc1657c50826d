//! Expansions that compile, and errors that point at the user's token.
//! `TRYBUILD=overwrite cargo test -p symex-macros --test ui` rewrites the expected messages.

use std::path::PathBuf;
use std::process::Command;

/// The rustc version whose messages are expected where rustc explains what a trait requires; other
/// versions list and underline differently.
const WORDS_OF: &str = "rustc 1.95.";

/// The cases in which most of the message is rustc's, not this macro's.
const MOSTLY_RUSTC: [&str; 1] = ["07-not-symbolic.rs"];

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    let is_known = rustc().starts_with(WORDS_OF);
    for case in failing() {
        let name = case.file_name().unwrap_or_default();
        if is_known || !MOSTLY_RUSTC.iter().any(|mostly| name == *mostly) {
            cases.compile_fail(case);
        }
    }
}

fn failing() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("tests/ui/fail").expect("the cases");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let mut cases: Vec<PathBuf> = files
        .filter(|file| file.extension().is_some_and(|end| end == "rs"))
        .collect();
    cases.sort();
    assert!(cases.len() > MOSTLY_RUSTC.len());
    cases
}

/// Returns the version of the rustc that compiles the cases.
fn rustc() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let said = output.expect("rustc runs").stdout;
    String::from_utf8(said).expect("a version")
}
