//! The library `quickcheck`, which takes the place of the published one in a build of its tests.

use std::ffi::OsString;

use super::cargo::Cargo;
use super::carried::{self, Library};
use super::error::BuildError;
use super::replacement::Replacement;
use super::stand_in::StandIns;

/// Name of the crate.
const NAME: &str = "quickcheck";

/// Package of the library that is put in its place.
const PACKAGE: &str = "symex-quickcheck";

/// The library that it uses.
const RUNTIME: Library = Library {
    package: carried::RUNTIME,
    name: "symex",
};

/// First number of the versions whose names it has.
const MAJOR: &str = "1";

/// Has the stand-in for rustc replace the crate, and returns the flags for all crates: those that
/// depend on it have to find what it uses, which is built on first use.
pub(super) fn replace(
    cargo: &Cargo<'_>,
    stand_ins: &StandIns,
) -> Result<Vec<OsString>, BuildError> {
    let runtime = carried::build(cargo, RUNTIME)?;
    let replacement = Replacement {
        name: NAME,
        major: MAJOR,
        source: runtime.source(PACKAGE),
        flags: runtime.flags(RUNTIME.name),
    };
    replacement.install(&stand_ins.rust_compiler())?;
    Ok(runtime.search_flags())
}
