//! The library `kani`, which takes the place of Kani's own in a build of proofs.
//!
//! Every crate of the program is told where it is, as by Kani itself, so that no manifest names it.

use std::ffi::OsString;

use super::cargo::Cargo;
use super::carried::{self, Library};
use super::error::BuildError;
use super::options::BuildOptions;

/// Flags that Kani gives to rustc as well.
const FLAGS: [&str; 2] = ["--cfg=kani", "--check-cfg=cfg(kani)"];

/// The library.
const LIBRARY: Library = Library {
    package: "symex-kani",
    name: "kani",
};

/// Returns the flags for crates with proofs: the library is built on first use.
pub(super) fn flags(cargo: &Cargo<'_>) -> Result<Vec<OsString>, BuildError> {
    let mut flags: Vec<OsString> = FLAGS.map(OsString::from).to_vec();
    flags.extend(carried::build(cargo, LIBRARY)?.flags(LIBRARY.name));
    Ok(flags)
}

/// Returns the names of the crates that may turn on what is unstable, for the variable
/// `RUSTC_BOOTSTRAP`: those of the workspace, since Kani's compiler lets them.
pub(super) fn crates_with_features(options: &BuildOptions) -> Result<String, BuildError> {
    let metadata = super::cargo::metadata(options)?;
    let targets = metadata
        .packages
        .iter()
        .flat_map(|package| &package.targets);
    let mut names: Vec<String> = targets
        .filter(|target| !target.is_custom_build())
        .map(|target| target.name.replace('-', "_"))
        .collect();
    names.sort();
    names.dedup();
    Ok(names.join(","))
}
