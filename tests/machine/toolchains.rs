//! Tests with other Rust toolchains than that of the tests: the same programs give the same
//! verdicts, findings and numbers of paths with the LLVM and the standard library of each.

use crate::support::programs::{check_c, check_harnesses, check_rust, in_crate};
use crate::support::{Crate, expectation, limited, workspace};
use libtest_mimic::Trial;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Toolchains to test: the oldest supported one, some with an LLVM each, and a nightly; each with
/// the findings that only its standard library causes.
const TOOLCHAINS: [(&str, &[(&str, &str)]); 4] = [
    // Before 1.95, the library itself checks that what is read as volatile is not null.
    ("1.88.0", &[("memory::null_pointer", "invalid-assume")]),
    ("1.98.0", &[]),
    ("1.99.1", &[]),
    ("nightly-2026-10-29", &[]),
];

/// Those of them whose rustc says where references are made.
const WITH_RETAGS: [&str; 2] = ["1.99.1", "nightly-2026-10-29"];

/// Version of the LLVM of the clang that compiles the programs in C.
const CLANG: u32 = 22;

/// Time for rustup to fetch a toolchain.
const INSTALLING: Duration = Duration::from_secs(240);

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (toolchain, other) in TOOLCHAINS {
        trials.push(crate::trial(
            format!("{toolchain}::rust_programs"),
            || install(toolchain),
            move |()| check_rust(Some(toolchain), other),
        ));
        trials.push(crate::trial(
            format!("{toolchain}::c_programs"),
            || reads_c(toolchain),
            |()| check_c(Some(toolchain), &["-O0"]),
        ));
    }
    for toolchain in WITH_RETAGS {
        trials.push(crate::trial(
            format!("{toolchain}::aliasing_programs"),
            || install(toolchain),
            |()| check_aliasing(toolchain),
        ));
        trials.push(crate::trial(
            format!("{toolchain}::references_in_aliasing_programs"),
            || install(toolchain),
            |()| check_references(toolchain),
        ));
    }
    trials.push(crate::trial(
        "a_finding_about_aliasing_tells_what_happened".to_owned(),
        || install(WITH_RETAGS[0]),
        |()| tells_what_happened(WITH_RETAGS[0]),
    ));
    trials
}

const STALE: &str = r#"
#[cfg(test)]
mod tests {
    #[symex::harness]
    fn writes(x: u8) {
        let mut value = x;
        let pointer = &raw mut value;
        let first = unsafe { &mut *pointer };
        let second = unsafe { &mut *pointer };
        *second = 2;
        if x == 7 {
            *first = 1;
        }
    }
}
"#;

/// Runs the programs about aliasing and compares the results with the expectations.
fn check_aliasing(toolchain: &str) {
    let sources = workspace().join("tests/programs/aliasing/src");
    let expected = expectation::of_harnesses(&sources);
    assert!(expected.len() > 40, "only {} harnesses", expected.len());
    let mut command = in_crate("aliasing", &["--aliasing", "tree", "--timeout", "120s"]);
    command.env("RUSTUP_TOOLCHAIN", toolchain);
    check_harnesses(command, &expected);
}

/// Runs the same programs with checks of references alone: those that break nothing but the rules
/// of aliasing pass.
fn check_references(toolchain: &str) {
    let sources = workspace().join("tests/programs/aliasing/src");
    let mut expected = expectation::of_harnesses(&sources);
    for e in expected.values_mut() {
        e.paths = None;
        // What bounds a pass is that the rules were not followed everywhere.
        if e.kind.as_deref() == Some("aliasing") || e.verdict == "pass-bounded" {
            (e.verdict, e.kind) = ("pass-complete".to_owned(), None);
        }
    }
    let kept = expected.values().filter(|e| e.kind.is_some()).count();
    assert!(kept > 1, "only {kept} harnesses with bugs");
    let mut command = in_crate("aliasing", &["--aliasing", "references"]);
    command.env("RUSTUP_TOOLCHAIN", toolchain);
    check_harnesses(command, &expected);
}

/// Checks the report of a finding about aliasing, and that without the option there is none.
fn tells_what_happened(toolchain: &str) {
    let tree = Crate::library("aliasing", STALE);
    let env = [("RUSTUP_TOOLCHAIN", toolchain)];
    let plain = tree.symex_with(&[], &env).code(0);
    assert!(plain.stdout.contains("pass (complete)"), "{}", plain.stdout);
    let run = tree.symex_with(&["--aliasing", "tree"], &env).code(1);
    let expected = "\
error[aliasing]: write of 1 byte through a reference that an earlier write has ended
  --> src/lib.rs:12:13
   |
12 |             *first = 1;
   |             ^^^^^^
   |
   = harness: tests::writes
   = allocated: at src/lib.rs:5
   = reference: made at src/lib.rs:8:30
   = since: the write at src/lib.rs:10:9
   = inputs: x: u8 = 7
   = trace: 0: aliasing::tests::writes at src/lib.rs:12:13
   = not reproduced natively: a native run knows no rules of aliasing
";
    let said = tree.redact(&run.stdout);
    assert!(said.contains(expected), "{said}");
    // Known verdicts are told apart.
    let again = tree.symex_with(&["--aliasing", "tree"], &env).code(1);
    assert!(again.stdout.contains("1 cached"), "{}", again.stdout);
    tree.symex_with(&[], &env).code(0);
}

/// Installs a toolchain unless it is installed.
fn install(toolchain: &'static str) -> Result<(), String> {
    static INSTALLED: Mutex<BTreeMap<&str, Result<(), String>>> = Mutex::new(BTreeMap::new());
    // Rustup is asked by one test at a time, and once for each toolchain.
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    installed
        .entry(toolchain)
        .or_insert_with(|| install_now(toolchain))
        .clone()
}

fn install_now(toolchain: &str) -> Result<(), String> {
    let mut run = Command::new("rustup");
    run.args(["run", toolchain, "rustc", "--version"]);
    let there = run.output().map_err(|error| format!("rustup: {error}"))?;
    if there.status.success() {
        return Ok(());
    }
    let mut install = Command::new("rustup");
    install.args([
        "toolchain",
        "install",
        toolchain,
        "--profile=minimal",
        "--no-self-update",
    ]);
    let output = limited::output_within(INSTALLING, &mut install);
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let said = text.lines().find(|line| line.starts_with("error"));
    Err(format!(
        "rustup cannot install it: {}",
        said.unwrap_or_default()
    ))
}

/// Installs a toolchain for the programs in C, unless its LLVM is older than this clang's and need
/// not read its output.
fn reads_c(toolchain: &'static str) -> Result<(), String> {
    install(toolchain)?;
    let llvm = llvm_of(toolchain);
    if llvm < CLANG {
        return Err(format!(
            "its LLVM {llvm} need not read what clang {CLANG} writes"
        ));
    }
    Ok(())
}

/// Returns the major version of the LLVM of a toolchain.
fn llvm_of(toolchain: &str) -> u32 {
    let mut rustc = Command::new("rustup");
    let output = limited::succeed(rustc.args(["run", toolchain, "rustc", "-vV"]));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let version = text
        .lines()
        .find_map(|line| line.strip_prefix("LLVM version: "));
    let major = version.and_then(|version| version.split('.').next()?.parse().ok());
    major.expect("rustc says the version of its LLVM")
}
