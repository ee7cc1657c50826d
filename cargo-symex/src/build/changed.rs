//! Builds of test executables from changed copies of their sources.

use std::ffi::OsString;

use super::cargo::Cargo;
use super::carried;
use super::error::BuildError;
use super::options::ChangedTests;
use super::replacement::{self, Replaced, Replacement, Replacing};
use super::stand_in::StandIns;

/// Has a stand-in for rustc compile the copies. They use the runtime, which is built on first use.
pub(super) fn replace(
    cargo: &Cargo<'_>,
    stand_ins: &StandIns,
    changed: &ChangedTests,
) -> Result<Replacing, BuildError> {
    let runtime = carried::build(cargo, carried::RUNTIME_LIBRARY)?;
    // The compiler names files as in the originals.
    let mut remap = OsString::from("--remap-path-prefix=");
    remap.push(&changed.copy);
    remap.push("=");
    remap.push(&changed.original);
    let mut rules = Vec::new();
    for root in &changed.roots {
        let Ok(within) = root.source.strip_prefix(&changed.original) else {
            continue;
        };
        let mut flags = vec![remap.clone(), "--cap-lints=allow".into()];
        if !root.has_runtime {
            flags.extend(runtime.flags(carried::RUNTIME_LIBRARY.name));
        }
        rules.push(Replacement {
            of: Replaced::Tests {
                source: root.source.clone().into(),
            },
            source: changed.copy.join(within).into(),
            flags: flags.into_iter().map(Into::into).collect(),
        });
    }
    Ok(Replacing {
        compiler: replacement::install(&rules, stand_ins)?,
        flags: runtime.search_flags(),
    })
}
