//! Tests with other Rust toolchains than that of the tests: the same programs give the same
//! verdicts, findings and numbers of paths with the LLVM and the standard library of each.

use crate::support::limited;
use crate::support::programs::{check_c, check_rust};
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
    trials
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
