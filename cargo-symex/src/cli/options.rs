//! Converts cargo's options to build options.

use super::args::{CargoArgs, Color};
use crate::build::{BuildOptions, Checks, TargetSelection};
use crate::pipeline::error::CommandError;
use crate::pipeline::{libraries, roles};
use crate::report::Verbosity;

/// Returns the build options for these arguments.
pub fn options(args: &CargoArgs) -> Result<BuildOptions, CommandError> {
    Ok(BuildOptions {
        manifest_path: args.manifest_path.clone(),
        packages: args.package.clone(),
        workspace: args.workspace,
        exclude: args.exclude.clone(),
        targets: TargetSelection {
            lib: args.lib,
            bins: args.bins,
            bin: args.bin.clone(),
            tests: args.tests,
            test: args.test.clone(),
            ..TargetSelection::default()
        },
        features: args.build.features.clone(),
        all_features: args.build.all_features,
        no_default_features: args.build.no_default_features,
        machines: args.build.target.clone(),
        profile: args.build.profile.clone(),
        checks: Checks {
            overflow: args.build.overflow_checks.unwrap_or(true),
            assertions: args.build.debug_assertions.unwrap_or(true),
        },
        locked: args.build.locked,
        offline: args.build.offline,
        frozen: args.build.frozen,
        target_dir: args.build.target_dir.as_ref().map(|dir| dir.join("symex")),
        library: libraries::library(),
        parts: libraries::parts_directory(),
        ..BuildOptions::new(roles::executable()?)
    })
}

/// Returns the build options for these arguments, with colours for cargo's messages, and as much of
/// them as is asked for.
pub fn shown_options(
    args: &CargoArgs,
    color: Option<Color>,
    verbosity: Verbosity,
) -> Result<BuildOptions, CommandError> {
    Ok(BuildOptions {
        color: color.map(|color| color.word().to_owned()),
        quiet: verbosity == Verbosity::Quiet,
        verbose: verbosity == Verbosity::Verbose,
        ..options(args)?
    })
}
