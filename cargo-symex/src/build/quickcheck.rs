//! The library `quickcheck`, which takes the place of the published one in a build of its tests.

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

/// First number of the versions whose names it has.
const MAJOR: &str = "1";

/// Has a stand-in for rustc replace the crate. What depends on it has to find what it uses, which
/// is built on first use.
pub(super) fn replace(cargo: &Cargo<'_>, stand_ins: &StandIns) -> Result<Replacing, BuildError> {
    let runtime = carried::build(cargo, carried::RUNTIME_LIBRARY)?;
    let flags = runtime.flags(carried::RUNTIME_LIBRARY.name);
    let rule = Replacement {
        of: Replaced::Published {
            name: NAME.to_owned(),
            major: MAJOR.to_owned(),
        },
        source: runtime.source(PACKAGE).into(),
        flags: flags.into_iter().map(PathText).collect(),
    };
    Ok(Replacing {
        compiler: replacement::install(&[rule], stand_ins)?,
        flags: runtime.search_flags(),
    })
}
