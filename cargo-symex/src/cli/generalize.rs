//! `cargo symex generalize`: explores the tests of a crate with other values than the constants in
//! them.

use super::args::{GeneralizeArgs, ReportArgs, RunArgs, WriteTests};
use super::judged_run::JudgedRun;
use super::packages;
use super::run::{self, PreparedRun};
use crate::build::{self, BuildOptions, ChangedRoot, ChangedTests};
use crate::generalize::copy::Change;
use crate::generalize::leave::LeftTests;
use crate::generalize::settle::{Generalized, Workspace};
use crate::generalize::test_crate::{Refusal, Test, TestCrate};
use crate::pipeline::discover::{Discovered, FoundHarness, TestKind, discover};
use crate::pipeline::error::CommandError;
use crate::pipeline::event::Monitor;
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::select::{Choice, Filters};
use crate::report::generalize::GeneralizedTests;
use crate::report::output;
use cargo_metadata::{Edition, Metadata, Package, Target};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Runs `cargo symex generalize`.
pub fn generalize(args: &GeneralizeArgs) -> Result<ExitCode, CommandError> {
    let run_args = run_args(args);
    let PreparedRun {
        settings,
        project,
        ignored,
        interrupt,
        options,
        reporter,
        monitor,
    } = PreparedRun::of(&run_args)?;
    let is_json = args.report.is_json("generalize")?;
    let metadata = build::metadata(&options)?;
    let (mut workspace, mut refusals) = planned(&metadata, args, &options)?;
    let options = with_changes(options, &workspace, &metadata);
    let are_any = |workspace: &Workspace| {
        let mut crates = workspace.crates.iter();
        crates.any(|generalized| {
            let mut changes = generalized.changes.iter();
            changes.any(|change| !change.harnesses.is_empty())
        })
    };
    if are_any(&workspace) {
        if !is_json && !options.quiet {
            output::note("Compiling the tests with their constants as inputs");
        }
        let settled = workspace.settle(&options);
        refusals.extend(settled.map_err(|error| run::unless(&interrupt, error.into()))?);
    }
    let mut tests = GeneralizedTests {
        workspace,
        refusals,
        verbose: args.report.verbose,
        left: args.write.then(LeftTests::default),
        written: Vec::new(),
    };
    if args.list {
        tests.list(is_json);
    }
    if !are_any(&tests.workspace) {
        if !args.list {
            output::line(&tests.refused());
        }
        let message = "no test passes constants that can be inputs";
        return Err(CommandError::usage(message).code(ExitCode::NoHarness));
    }
    if args.list {
        return Ok(ExitCode::Pass);
    }
    let found = found(&options, &tests, &*monitor);
    let found = found.map_err(|error| run::unless(&interrupt, error))?;
    let harnesses: Vec<_> = found.iter().map(|found| found.harness.clone()).collect();
    tests.keep(&harnesses);
    if found.is_empty() {
        output::line(&tests.refused());
        let message = "no test with constants that can be inputs is compiled";
        return Err(CommandError::usage(message).code(ExitCode::NoHarness));
    }
    let run = JudgedRun {
        args: &run_args,
        build: &args.cargo.build,
        settings,
        project,
        ignored,
        interrupt,
        reporter,
        monitor,
        promised_panics: args.promised_panics,
    };
    let manifest = |found: &FoundHarness| found.target.built().manifest_path.clone();
    run.explore(found, manifest, tests)
}

fn run_args(args: &GeneralizeArgs) -> RunArgs {
    // The tests of findings would be tests of the copies.
    let report = ReportArgs {
        write_tests: WriteTests::Never,
        ..args.report.clone()
    };
    let cargo = args.cargo.clone();
    run::run_args(
        cargo,
        args.part,
        (args.list, args.jobs),
        &args.engine,
        &report,
    )
}

/// Reads the chosen tests, and plans which constants are inputs: all that may be. Returns the tests
/// that pass none as well.
fn planned(
    metadata: &Metadata,
    args: &GeneralizeArgs,
    options: &BuildOptions,
) -> Result<(Workspace, Vec<Refusal>), CommandError> {
    let target_dir = build::target_dir_within(options, || {
        Ok(metadata.target_directory.clone().into_std_path_buf())
    })?;
    let filters = args.select.filters();
    let (mut crates, mut refusals) = (Vec::new(), Vec::new());
    let mut seen = 0;
    // A file that is part of several executables is changed for the first.
    let mut taken: BTreeSet<PathBuf> = BTreeSet::new();
    for package in packages(metadata, args) {
        for target in targets(package, args) {
            let is_for_tests = target.is_test();
            let krate = TestCrate::read(target.src_path.as_std_path(), is_for_tests);
            seen += krate.tests.len() + krate.refusals.len();
            let is_meant = |refusal: &&Refusal| filters.choose(&refusal.test, false) == Choice::Run;
            refusals.extend(krate.refusals.iter().filter(is_meant).cloned());
            let is_free = |test: &Test| !taken.contains(&krate.files[test.file].path);
            let tests = krate.tests.iter().enumerate();
            let chosen = tests.filter(|(_, test)| is_chosen(test, &filters) && is_free(test));
            let (mut changes, mut files) = (Vec::new(), Vec::new());
            for (number, test) in chosen {
                if test.constants.is_empty() {
                    refusals.push(Refusal {
                        test: test.name.clone(),
                        reason: "it passes no constants".to_owned(),
                    });
                    continue;
                }
                let constants = test.constants.len();
                changes.push(Change {
                    test: number,
                    inputs: vec![true; constants],
                    harnesses: match args.each {
                        true => (1..=constants).map(Some).collect(),
                        false => vec![None],
                    },
                });
                files.push(krate.files[test.file].path.clone());
            }
            taken.extend(files);
            // Without a change as well: what cargo has built from the original once, it would not
            // build from a copy later.
            crates.push(Generalized {
                krate,
                declares_runtime: package.edition == Edition::E2015,
                changes,
            });
        }
    }
    let has_changes = |generalized: &Generalized| !generalized.changes.is_empty();
    if !crates.iter().any(has_changes) && refusals.is_empty() {
        let message = match seen {
            0 => "no test is written in the chosen targets".to_owned(),
            seen => format!("none of {seen} tests matches"),
        };
        return Err(CommandError::usage(message).code(ExitCode::NoHarness).help(
            "of tests that macros make, those of rstest and test_case are seen; `--list` without filters shows them all",
        ));
    }
    let root = metadata.workspace_root.clone().into_std_path_buf();
    // A target directory may be that of several workspaces.
    let hash = blake3::hash(root.as_os_str().as_encoded_bytes()).to_hex();
    let workspace = Workspace {
        copy: target_dir.join("changed/sources").join(&hash[..16]),
        root,
        crates,
    };
    Ok((workspace, refusals))
}

fn is_chosen(test: &Test, filters: &Filters) -> bool {
    filters.choose(&test.name, test.is_ignored) == Choice::Run
}

/// Returns the packages that cargo would test.
fn packages<'a>(metadata: &'a Metadata, args: &GeneralizeArgs) -> Vec<&'a Package> {
    let cargo = &args.cargo;
    let is_named = |names: &[String], package: &Package| {
        let mut names = names.iter();
        names.any(|name| name.split('@').next() == Some(&**package.name))
    };
    let members = metadata.packages.iter();
    if !cargo.package.is_empty() {
        return members
            .filter(|package| is_named(&cargo.package, package))
            .collect();
    }
    let around = packages::around(metadata, cargo.manifest_path.as_deref());
    match around.filter(|_| !cargo.workspace) {
        Some(package) => vec![package],
        None => members
            .filter(|package| !is_named(&cargo.exclude, package))
            .collect(),
    }
}

/// Returns the targets of a package whose tests are asked for.
fn targets<'a>(
    package: &'a Package,
    args: &GeneralizeArgs,
) -> impl Iterator<Item = &'a Target> + use<'a> {
    let cargo = args.cargo.clone();
    let all =
        !cargo.lib && !cargo.bins && !cargo.tests && cargo.bin.is_empty() && cargo.test.is_empty();
    package.targets.iter().filter(move |target| {
        let is_library = target.is_lib() || target.is_rlib() || target.is_dylib();
        let is_known = is_library || target.is_bin() || target.is_test();
        let is_asked_for = all && target.test
            || cargo.lib && is_library
            || target.is_bin() && (cargo.bins || cargo.bin.contains(&target.name))
            || cargo.tests && target.test
            || target.is_test() && cargo.test.contains(&target.name);
        is_known && is_asked_for
    })
}

/// Returns the options for a build of the changed tests.
fn with_changes(options: BuildOptions, workspace: &Workspace, metadata: &Metadata) -> BuildOptions {
    let has_runtime = |source: &PathBuf| {
        let mut packages = metadata.packages.iter();
        let of = packages.find(|package| {
            let mut targets = package.targets.iter();
            targets.any(|target| target.src_path.as_std_path() == source)
        });
        of.is_some_and(build::has_runtime)
    };
    let roots = workspace.crates.iter().map(|generalized| {
        let source = generalized.krate.root.clone();
        ChangedRoot {
            has_runtime: has_runtime(&source),
            source,
        }
    });
    BuildOptions {
        changed: Some(ChangedTests {
            original: workspace.root.clone(),
            copy: workspace.copy.clone(),
            roots: roots.collect(),
        }),
        ..options
    }
}

/// Builds the tests, and finds the harnesses that run them.
fn found(
    options: &BuildOptions,
    tests: &GeneralizedTests,
    monitor: &dyn Monitor,
) -> Result<Vec<FoundHarness>, CommandError> {
    let Discovered { mut found, .. } = discover(options, TestKind::Harness, monitor)?;
    found.retain(|found| tests.has(&found.harness));
    Ok(found)
}
