//! `cargo symex fuzz`: explores the fuzz targets that a crate has for libFuzzer, AFL or honggfuzz.

use super::args::{CargoArgs, FuzzArgs};
use super::options::options;
use super::packages;
use super::run::{self, PreparedRun};
use crate::build::{self, Executables, TargetSelection};
use crate::pipeline::crates;
use crate::pipeline::discover::{FoundHarness, fuzz_targets};
use crate::pipeline::error::CommandError;
use crate::pipeline::event::Notice;
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::paths::PathLog;
use crate::pipeline::select::Selection;
use crate::pipeline::{self, roles};
use crate::report::output;
use cargo_metadata::{Metadata, Package};
use std::path::{Path, PathBuf};
use symex_types::config::RecordPaths;

/// Runs `cargo symex fuzz`.
pub fn fuzz(args: &FuzzArgs) -> Result<ExitCode, CommandError> {
    let manifest = directory(args)?.join("Cargo.toml");
    let cargo = CargoArgs {
        manifest_path: Some(manifest),
        build: args.build.clone(),
        ..CargoArgs::default()
    };
    let args_of_run = run::run_args(
        cargo,
        args.part,
        (args.list, args.jobs),
        &args.engine,
        &args.report,
    );
    let PreparedRun {
        settings,
        project,
        ignored,
        interrupt,
        mut options,
        mut reporter,
        monitor,
    } = PreparedRun::of(&args_of_run)?;
    options.executables = Executables::FuzzTargets;
    options.targets = TargetSelection {
        bins: args.targets.is_empty(),
        bin: args.targets.clone(),
        ..TargetSelection::default()
    };
    let found =
        fuzz_targets(&options, &*monitor).map_err(|error| run::unless(&interrupt, error))?;
    let is_partial = found.is_partial;
    if is_partial {
        monitor.notice(Notice::Warning {
            text: "some binaries of the package do not compile, and are left out".to_owned(),
            help: Some("cargo's messages above say why".to_owned()),
        });
    }
    let found = found.targets;
    if found.is_empty() {
        let message = "no fuzz target found: no binary of the package is made for libFuzzer, AFL or honggfuzz";
        return Err(CommandError::usage(message).code(ExitCode::NoHarness));
    }
    let selection = Selection::of_all(found).of_part(args.part.partition);
    if settings.list {
        selection.run.iter().for_each(|found| {
            let (harness, place) = (&found.harness, found.harness.place());
            let (file, line) = (place.file, place.line);
            output::line(&format!(
                "{}({})  {file}:{line}",
                harness.name, harness.args
            ));
        });
        return Ok(match is_partial {
            true => ExitCode::BuildFailed,
            false => ExitCode::Pass,
        });
    }
    let tables = |found: &FoundHarness| project.tables(&found.target.built().manifest_path);
    let mut configs = run::configs(&args_of_run, &settings, tables, &selection)?;
    for config in &mut configs {
        if let Some(most) = args.max_len {
            (config.max_input, config.most_input) = (most, most);
        }
        if args.corpus_out.is_some() {
            config.record_paths = RecordPaths::All;
        }
    }
    let mut caching = run::caching(&args.build, &settings.run);
    caching.verdicts &= args.corpus_out.is_none();
    let launcher = roles::launcher(settings.run.replay)?;
    let list = |found: &FoundHarness| ignored.of(&found.target.built().manifest_path);
    let lists = selection.run.iter().map(list).collect();
    let mut plan = crates::plan(selection, configs, caching, &launcher, &*monitor)?;
    plan.ignore(lists);
    if let Some(folder) = &args.corpus_out {
        for task in &mut plan.tasks {
            task.path_log = PathLog::corpus(folder.join(&task.harness.target))?;
        }
    }
    plan.is_partial = is_partial;
    pipeline::run(plan, &settings.run, &interrupt, &mut *reporter, &monitor)
}

/// Crates by which fuzzers get at their targets.
const FUZZERS: [&str; 3] = ["libfuzzer-sys", "afl", "honggfuzz"];

/// Returns the directory in which `cargo fuzz` keeps the fuzz targets of this package, if there is
/// one.
pub fn usual_directory() -> Option<PathBuf> {
    let here = run::here();
    let mut above = here.ancestors().map(|directory| directory.join("fuzz"));
    above.find(|directory| has_manifest(directory))
}

fn has_manifest(directory: &Path) -> bool {
    directory.join("Cargo.toml").is_file()
}

/// Returns the directory of the package with the fuzz targets: the one that is asked for, that of
/// `cargo fuzz`, or the package here, or the only one of the workspace, that depends on a fuzzer's
/// crate.
fn directory(args: &FuzzArgs) -> Result<PathBuf, CommandError> {
    if let Some(given) = &args.fuzz_dir {
        return match has_manifest(given) {
            true => Ok(given.clone()),
            false => Err(CommandError::usage(format!(
                "failed to find fuzz targets: no Cargo.toml is in {}",
                given.display()
            ))),
        };
    }
    let below = run::here().join("fuzz");
    if has_manifest(&below) {
        return Ok(below);
    }
    // Where there is no workspace, there is none to look at.
    let metadata = options(&CargoArgs::default()).map(|options| build::metadata(&options));
    let metadata = metadata.ok().and_then(Result::ok);
    let (own, others) = metadata.as_ref().map(fuzzed_packages).unwrap_or_default();
    if let Some(directory) = own.or_else(usual_directory) {
        return Ok(directory);
    }
    let none = |message: &str| CommandError::usage(message).code(ExitCode::NoHarness);
    match others.as_slice() {
        [] => Err(none(
            "failed to find fuzz targets: no `fuzz/Cargo.toml` is here or above, and no package of the workspace depends \
             on a fuzzer's crate",
        )
        .help("--fuzz-dir names another directory; `cargo fuzz init` makes one")),
        [directory] => Ok(directory.clone()),
        several => {
            let names = several.iter().map(|directory| directory.display().to_string());
            let names = names.collect::<Vec<_>>().join(", ");
            let error = none("several packages of the workspace have fuzz targets");
            Err(error.help(format!("--fuzz-dir names one: {names}")))
        }
    }
}

/// Returns the directory of the package here, if it depends on a fuzzer's crate, and those of all
/// packages of the workspace that do.
fn fuzzed_packages(metadata: &Metadata) -> (Option<PathBuf>, Vec<PathBuf>) {
    let depends = |package: &&Package| {
        let mut dependencies = package.dependencies.iter();
        dependencies.any(|dependency| FUZZERS.contains(&dependency.name.as_str()))
    };
    let directory = |package: &Package| {
        let directory = package.manifest_path.parent();
        directory.map(|directory| directory.as_std_path().to_owned())
    };
    let own = packages::around(metadata, None).filter(depends);
    let all = metadata.packages.iter().filter(depends);
    (own.and_then(directory), all.filter_map(directory).collect())
}
