//! Other Rust toolchains than that of the tests: the same programs give the same verdicts, findings and numbers of paths with the
//! LLVM and the standard library of each.
//!
//! A toolchain that is not there and that rustup cannot install shows as ignored, so that a run says which it was made with.

mod support;

use libtest_mimic::{Arguments, Trial};
use std::process::Command;
use std::time::Duration;
use support::limited;
use support::programs::{check_c, check_rust};

/// The oldest that works, some with an LLVM each, and a nightly; and what programs find with the standard library of each that
/// they do not find with others.
const TOOLCHAINS: [(&str, &[(&str, &str)]); 4] = [
    // Before 1.95, the library itself checks that what is read as volatile is not null.
    ("1.88.0", &[("memory::null_pointer", "invalid-assume")]),
    ("1.98.0", &[]),
    ("1.99.1", &[]),
    ("nightly-2026-10-29", &[]),
];

/// The LLVM of the clang that compiles the programs in C.
const CLANG: u32 = 22;

/// Time for rustup to fetch a toolchain.
const INSTALLING: Duration = Duration::from_secs(240);

fn main() {
    let arguments = Arguments::from_args();
    // Whoever only lists tests need not wait for rustup.
    let wanted = |name: &str| {
        let by_filter = |filter: &String| name.contains(filter.as_str());
        !arguments.list && arguments.filter.as_ref().is_none_or(by_filter)
    };
    let mut trials = Vec::new();
    for (toolchain, other) in TOOLCHAINS {
        let is_there = wanted(toolchain) && install(toolchain);
        let trial = |name: &str, can_run: bool, run: Box<dyn FnOnce() + Send>| {
            let run = move || {
                run();
                Ok(())
            };
            Trial::test(format!("{toolchain}::{name}"), run).with_ignored_flag(!can_run)
        };
        trials.push(trial(
            "rust_programs",
            is_there,
            Box::new(move || check_rust(Some(toolchain), other)),
        ));
        // An older LLVM need not read what this clang writes.
        let reads_c = is_there && llvm_of(toolchain) >= CLANG;
        trials.push(trial(
            "c_programs",
            reads_c,
            Box::new(move || check_c(Some(toolchain), &["-O0"])),
        ));
    }
    libtest_mimic::run(&arguments, trials).exit();
}

/// True if the toolchain is installed, before or by this.
fn install(toolchain: &str) -> bool {
    let mut run = Command::new("rustup");
    run.args(["run", toolchain, "rustc", "--version"]);
    if run.output().is_ok_and(|output| output.status.success()) {
        return true;
    }
    let mut install = Command::new("rustup");
    install.args([
        "toolchain",
        "install",
        toolchain,
        "--profile=minimal",
        "--no-self-update",
    ]);
    let rustup = Command::new("rustup").arg("--version").output();
    rustup.is_ok()
        && limited::output_within(INSTALLING, &mut install)
            .status
            .success()
}

/// The major version of the LLVM of a toolchain.
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
