//! `cargo symex auto`: drafts harnesses for the functions of a crate and explores them.

use super::args::{AutoArgs, BuildArgs, CargoArgs, RunArgs, WriteTests};
use super::judged_run::JudgedRun;
use super::packages;
use super::run::{self, PreparedRun};
use crate::auto::draft::{Refusal, draft};
use crate::auto::package::{self, Chosen, Package, Subject, TARGET};
use crate::auto::rustdoc;
use crate::build::{self, BuildOptions, TargetSelection};
use crate::confirm::WritePolicy;
use crate::pipeline::discover::{Discovered, TestKind, discover};
use crate::pipeline::error::{CommandError, dependency_for};
use crate::pipeline::exit_code::ExitCode;
use crate::report::auto::{Auto, list};
use crate::report::output;
use cargo_metadata::{Edition, Metadata, Package as CargoPackage};
use std::path::{Path, PathBuf};

/// The harnesses that are drafted.
struct Drafted {
    /// Where this tool builds for the crate.
    target_dir: PathBuf,
    package: Package,
    chosen: Vec<Chosen>,
    refusals: Vec<Refusal>,
}

/// Runs `cargo symex auto`.
pub fn auto(args: &AutoArgs) -> Result<ExitCode, CommandError> {
    let run_args = run_args(args);
    let mut prepared = PreparedRun::of(&run_args)?;
    prepared.options.without_lints = true;
    let metadata = build::metadata(&prepared.options)?;
    let subject = subject(&metadata, args)?;
    let mut drafted = drafted(&metadata, subject, args, &prepared.options)?;
    let is_json = args.report.is_json("auto")?;
    if args.list {
        list(&drafted.chosen, &drafted.refusals, is_json);
        return Ok(match drafted.chosen.is_empty() {
            true => ExitCode::NoHarness,
            false => ExitCode::Pass,
        });
    }
    if drafted.chosen.is_empty() {
        output::line(&crate::report::auto::refused(&drafted.refusals, true));
        let message = "no function of the crate can have a drafted harness";
        return Err(CommandError::usage(message).code(ExitCode::NoHarness));
    }
    let directory = subject.manifest_path.parent();
    let directory = directory.map_or(Path::new(""), |directory| directory.as_std_path());
    if args.write {
        let library = library(subject).unwrap_or_default();
        let needs_extern = subject.edition == Edition::E2015;
        let written = package::write(directory, &library, needs_extern, &mut drafted.chosen)?;
        output::note(format!(
            "{} harnesses written to {}",
            written.added,
            written.file.display()
        ));
    }
    // Where the crate has what harnesses need, it is explored as by `cargo symex`.
    let in_crate = args.write && build::has_runtime(subject);
    if args.write && !in_crate {
        let manifest = subject.manifest_path.as_std_path();
        output::note(dependency_for(manifest));
    }
    explore(args, &run_args, prepared, drafted, subject, in_crate)
}

fn run_args(args: &AutoArgs) -> RunArgs {
    let cargo = CargoArgs {
        package: args.package.iter().cloned().collect(),
        manifest_path: args.manifest_path.clone(),
        build: args.build.clone(),
        ..CargoArgs::default()
    };
    run::run_args(
        cargo,
        args.part,
        (args.list, args.jobs),
        &args.engine,
        &args.report,
    )
}

/// Returns the package whose functions are explored.
fn subject<'a>(metadata: &'a Metadata, args: &AutoArgs) -> Result<&'a CargoPackage, CommandError> {
    let packages = || metadata.packages.iter();
    let found = match &args.package {
        Some(spec) => packages().find(|package| is_named(package, spec)),
        None => packages::around(metadata, args.manifest_path.as_deref())
            .or_else(|| packages().next().filter(|_| metadata.packages.len() == 1)),
    };
    let package = found.ok_or_else(|| {
        let names: Vec<String> = packages()
            .map(|package| format!("`{}`", package.name))
            .collect();
        let names = names.join(", ");
        match &args.package {
            Some(spec) => {
                let message = format!("`{spec}` is no member of the workspace");
                CommandError::usage(message).help(format!(
                    "-p names a member: {names}; for a dependency, copy its source to a folder \
                     outside of the workspace, and run `cargo symex auto` there"
                ))
            }
            None => CommandError::usage("failed to tell whose functions are to be explored")
                .help(format!("-p names a package: {names}")),
        }
    })?;
    match library(package) {
        Some(_) => Ok(package),
        None => Err(CommandError::usage(format!(
            "failed to find functions: the package `{}` has no library",
            package.name
        ))
        .code(ExitCode::NoHarness)),
    }
}

/// Reports whether a package is meant by what follows `-p`: its name, with or without a version, or
/// its id.
fn is_named(package: &CargoPackage, spec: &str) -> bool {
    let name = &*package.name;
    spec == name || spec == format!("{name}@{}", package.version) || spec == package.id.repr
}

/// Returns the name of a package's library in code.
fn library(package: &CargoPackage) -> Option<String> {
    let mut targets = package.targets.iter();
    let library = targets.find(|target| target.is_lib() || target.is_rlib() || target.is_dylib());
    library.map(|target| target.name.replace('-', "_"))
}

/// Drafts the harnesses that compile.
fn drafted(
    metadata: &Metadata,
    subject: &CargoPackage,
    args: &AutoArgs,
    options: &BuildOptions,
) -> Result<Drafted, CommandError> {
    let target_dir = build::target_dir_within(options, || {
        Ok(metadata.target_directory.clone().into_std_path_buf())
    })?;
    let all = target_dir.join("auto");
    let check_dir = all.join("check");
    let library = library(subject).unwrap_or_default();
    let text = build::describe(options, &subject.id.repr, &library, &check_dir)?;
    let api = rustdoc::read(&text).map_err(|reason| {
        CommandError::usage(format!(
            "failed to read rustdoc's description of the crate: {reason}"
        ))
        .help("another toolchain may write it in a form that is known, as by `cargo +stable symex`")
    })?;
    let wanted: Vec<Vec<String>> = args
        .items
        .iter()
        .map(|item| words(item, &library))
        .collect();
    let (drafts, mut refusals) = draft(&api, |path| {
        let path = words(path, &library);
        let mut wanted = wanted.iter();
        args.items.is_empty() || wanted.any(|item| path.starts_with(item) || path.ends_with(item))
    });
    if drafts.is_empty() && refusals.is_empty() && !args.items.is_empty() {
        let message = format!("no public function matches `{}`", args.items.join("` or `"));
        return Err(CommandError::usage(message)
            .code(ExitCode::NoHarness)
            .help("`cargo symex auto --list` shows the functions"));
    }
    let runtime = build::install_runtime(&target_dir)?.join(build::RUNTIME);
    let features = features(subject, &args.build);
    let lock = metadata.workspace_root.join("Cargo.lock");
    let directory = subject.manifest_path.parent();
    let package = Package::create(
        &all.join("packages").join(&**subject.name),
        &Subject {
            package: &subject.name,
            library: &library,
            directory: directory.map_or(Path::new(""), |directory| directory.as_std_path()),
            features: &features,
            default_features: !args.build.no_default_features,
            lock: lock.as_std_path(),
        },
        &runtime,
    )?;
    let (chosen, uncompiled) = package.settle(drafts, options, &check_dir)?;
    refusals.extend(uncompiled);
    Ok(Drafted {
        target_dir,
        package,
        chosen,
        refusals,
    })
}

/// Returns the words of a path, without the crate.
fn words(path: &str, library: &str) -> Vec<String> {
    let words = path.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words = words.filter(|word| !word.is_empty() && *word != "as");
    let words: Vec<String> = words.map(str::to_owned).collect();
    match words.split_first() {
        Some((first, rest)) if *first == library && !rest.is_empty() => rest.to_vec(),
        _ => words,
    }
}

fn features(package: &CargoPackage, args: &BuildArgs) -> Vec<String> {
    if args.all_features {
        return package.features.keys().cloned().collect();
    }
    let typed = args.features.iter();
    let typed = typed.flat_map(|features| features.split([',', ' ']));
    typed
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Explores the harnesses.
fn explore(
    args: &AutoArgs,
    run_args: &RunArgs,
    prepared: PreparedRun,
    drafted: Drafted,
    subject: &CargoPackage,
    in_crate: bool,
) -> Result<ExitCode, CommandError> {
    let PreparedRun {
        mut settings,
        project,
        ignored,
        interrupt,
        options,
        reporter,
        monitor,
    } = prepared;
    let targets = TargetSelection {
        test: vec![TARGET.to_owned()],
        ..TargetSelection::default()
    };
    let options = BuildOptions { targets, ..options };
    let options = match in_crate {
        true => BuildOptions {
            // A dependency may have the same name.
            packages: vec![subject.id.repr.clone()],
            ..options
        },
        false => of_package(options, &drafted.package, drafted.target_dir),
    };
    let discovered = discover(&options, TestKind::Harness, &*monitor);
    let Discovered { mut found, .. } =
        discovered.map_err(|error| run::unless(&interrupt, error))?;
    // What is drafted for one run needs no test that stays.
    if !in_crate && args.report.write_tests == WriteTests::Auto {
        settings.run.write = WritePolicy::Never;
    }
    // A file of the crate may have others.
    found.retain(|found| {
        let mut chosen = drafted.chosen.iter();
        chosen.any(|chosen| chosen.form.name == found.harness.plain_function())
    });
    let manifest = subject.manifest_path.as_std_path();
    let library = library(subject).unwrap_or_default();
    let judge = Auto::new(
        library,
        drafted.chosen,
        drafted.refusals,
        args.report.verbose,
    );
    let run = JudgedRun {
        args: run_args,
        build: &args.build,
        settings,
        project,
        ignored,
        interrupt,
        reporter,
        monitor,
        promised_panics: args.promised_panics,
    };
    run.explore(found, |_| manifest.to_owned(), judge)
}

/// Returns the build options for the package of the harnesses.
fn of_package(options: BuildOptions, package: &Package, target_dir: PathBuf) -> BuildOptions {
    BuildOptions {
        manifest_path: Some(package.manifest()),
        packages: Vec::new(),
        features: Vec::new(),
        all_features: false,
        no_default_features: false,
        locked: false,
        frozen: false,
        offline: options.offline || options.frozen,
        target_dir: Some(target_dir),
        ..options
    }
}
