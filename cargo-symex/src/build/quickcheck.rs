//! The library `quickcheck`, which takes the place of the published one in a build of its tests.

use std::ffi::OsString;

use super::cargo::Cargo;
use super::carried;
use super::error::BuildError;
use super::manifest::PathText;
use super::replacement::{self, Replaced, Replacement, Replacing};
use super::stand_in::StandIns;

/// Name of the crate.
const NAME: &str = "quickcheck";

/// Package of the library that is put in its place.
const PACKAGE: &str = "symex-quickcheck";

/// First numbers of the versions whose names it has, and what it is told for their sake.
const VERSIONS: [(&str, &[&str]); 4] = [
    ("1", &[]),
    ("0.9", &BEFORE_1),
    ("0.8", &BEFORE_1),
    ("0.7", &BEFORE_1),
];

/// Flags for the names of versions before 1.
const BEFORE_1: [&str; 2] = ["--cfg", "before_1"];

/// Has a stand-in for rustc replace the crate. What depends on it has to find what it uses, which
/// is built on first use.
pub(super) fn replace(cargo: &Cargo<'_>, stand_ins: &StandIns) -> Result<Replacing, BuildError> {
    let runtime = carried::build(cargo, carried::RUNTIME_LIBRARY)?;
    let flags = runtime.flags(carried::RUNTIME_LIBRARY.name);
    let source = runtime.source(PACKAGE);
    let rules = VERSIONS.map(|(version, own)| {
        let own = own.iter().map(OsString::from);
        Replacement {
            of: Replaced::Published {
                name: NAME.to_owned(),
                version: version.to_owned(),
            },
            source: source.clone().into(),
            flags: flags.iter().cloned().chain(own).map(PathText).collect(),
        }
    });
    Ok(Replacing {
        compiler: replacement::install(&rules, stand_ins)?,
        flags: runtime.search_flags(),
    })
}
