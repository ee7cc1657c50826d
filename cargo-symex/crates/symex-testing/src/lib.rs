//! Utilities that the tests of all packages share, in a package that is never published.
//!
//! [`limited`] runs child processes with a time limit and reports their state when it expires;
//! [`random`] draws numbers that depend on a seed alone; [`start`] hides the user's settings from
//! the tests; [`clang`] finds the C compiler whose bitcode the tests expect; [`nats`] starts a
//! server for clusters. Packages depend on it
//! for their tests only, by path, so that it needs no version.

pub mod limited;
pub mod nats;
pub mod random;
pub mod start;

use std::path::PathBuf;
use std::process::Command;

/// Returns the clang to compile test programs with: version 22, if that is installed.
///
/// # Panics
/// If there is no clang.
pub fn clang() -> PathBuf {
    let names = ["clang-22", "clang"];
    let found = names.into_iter().find(|name| {
        let version = Command::new(name).arg("--version").output();
        version.is_ok_and(|output| output.status.success())
    });
    found.expect("clang is installed").into()
}
