//! The default command: build, find harnesses, explore them, report.

use super::args::{BuildArgs, CargoArgs, EngineArgs, LibtestArgs, PartArgs, ReportArgs, RunArgs};
use super::list;
use super::no_harness::{self, no_proof, nothing};
use super::options::shown_options;
use super::origins;
use super::project::{IgnoreLists, Project, SettingsTable};
use super::resolve::{self, RunSettings};
use crate::build::{BuildOptions, Executables};
use crate::harness::Attribute;
use crate::pipeline::crates::{self, Caching};
use crate::pipeline::discover::{Discovered, FoundHarness, TestKind, discover};
use crate::pipeline::error::CommandError;
use crate::pipeline::event::{Monitor, Reporter};
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::interrupt::Interrupt;
use crate::pipeline::roles;
use crate::pipeline::select::{Selection, select};
use crate::pipeline::{self, Settings};
use crate::report::profile::ProfileReport;
use crate::report::recorded::RunFacts;
use crate::report::{self, Format, Verbosity, output};
use std::path::PathBuf;
use std::sync::Arc;
use symex_types::config::Config;

/// A run whose settings were read, and that has not begun to build.
pub(super) struct PreparedRun {
    pub settings: RunSettings,
    pub project: Project,
    pub ignored: IgnoreLists,
    pub interrupt: Interrupt,
    pub options: BuildOptions,
    pub reporter: Box<dyn Reporter>,
    pub monitor: Arc<dyn Monitor>,
}

impl PreparedRun {
    /// Reads the settings, so that what is wrong with them is reported before the build.
    pub fn of(args: &RunArgs) -> Result<Self, CommandError> {
        let mut settings = resolve::run(args, resolve::is_ci())?;
        output::set_color(resolve::color_choice(settings.color));
        let project = Project::read(&args.cargo)?;
        settings.form.facts = RunFacts {
            partition: args.part.partition.map(|part| part.to_string()),
            require_complete: settings.run.require_complete,
            ..project.facts.clone()
        };
        settings.form.runs = Some(project.runs());
        settings.run.coverage = args.report.sources(|| project.sources());
        let ignored = project.ignore_lists(args.report.no_ignore)?;
        let interrupt = interrupt()?;
        let verbosity = match settings.list || settings.form.format != Format::Human {
            true if settings.form.verbosity == Verbosity::Normal => Verbosity::Quiet,
            _ => settings.form.verbosity,
        };
        let mut options = shown_options(&args.cargo, settings.color, verbosity)?;
        if settings.form.format == Format::Diagnostics {
            options.messages = Some(output::json);
        }
        let asked = resolve::config(&args.engine, &Attribute::default(), [])?;
        options.aliasing = asked.aliasing;
        let (reporter, monitor) = report::open(settings.form.clone());
        Ok(PreparedRun {
            settings,
            project,
            ignored,
            interrupt,
            options,
            reporter,
            monitor,
        })
    }
}

/// Returns the arguments of a run for a command that has some of them.
pub(super) fn run_args(
    cargo: CargoArgs,
    part: PartArgs,
    (list, jobs): (bool, Option<usize>),
    engine: &EngineArgs,
    report: &ReportArgs,
) -> RunArgs {
    RunArgs {
        part,
        cargo,
        libtest: LibtestArgs {
            list,
            jobs,
            ..LibtestArgs::default()
        },
        engine: engine.clone(),
        report: report.clone(),
        ..RunArgs::default()
    }
}

/// Runs `cargo symex`.
pub fn harnesses(args: &RunArgs) -> Result<ExitCode, CommandError> {
    run(args, args.kind.executables())
}

/// Runs `cargo symex profile`.
pub fn profile(args: &RunArgs) -> Result<ExitCode, CommandError> {
    let mut args = args.clone();
    let forms = &mut args.report.files.profiling;
    if forms.is_empty() {
        forms.push(ProfileReport::Summary);
    }
    harnesses(&args)
}

/// Runs `cargo symex kani`.
pub fn kani(args: &RunArgs) -> Result<ExitCode, CommandError> {
    if args.kind.of_tests() != TestKind::Harness {
        let message =
            "`--proptest`, `--quickcheck` and `--bolero` explore other tests than Kani proofs";
        return Err(CommandError::usage(message).help("leave out `kani`, or the option"));
    }
    run(args, Executables::KaniProofs)
}

fn run(args: &RunArgs, executables: Executables) -> Result<ExitCode, CommandError> {
    let PreparedRun {
        settings,
        project,
        ignored,
        interrupt,
        mut options,
        mut reporter,
        monitor,
    } = PreparedRun::of(args)?;
    options.executables = executables;
    // Cargo gets the same Ctrl-C, so its failure is then no separate error.
    let kind = args.kind.of_tests();
    let discovered = discover(&options, kind, &*monitor);
    let Discovered { found, seen } = discovered.map_err(|error| unless(&interrupt, error))?;
    if settings.list {
        list::as_libtest(found, &settings, args.part);
        return Ok(ExitCode::Pass);
    }
    let selection = select(found, &settings.select.filters()).of_part(args.part.partition);
    let is_empty = selection.run.is_empty() && selection.ignored.is_empty();
    if is_empty && selection.in_other_parts == 0 {
        let (select, cargo) = (&settings.select, &args.cargo);
        return Err(match executables {
            Executables::KaniProofs => no_proof(&selection, select, cargo, seen),
            _ => nothing(&selection, kind, select, cargo, seen),
        });
    }
    let is_quiet = settings.form.verbosity == Verbosity::Quiet;
    let tells_others = settings.form.format == Format::Human && !is_quiet;
    if tells_others && executables == Executables::Tests {
        let others = no_harness::others(kind, seen);
        if !others.is_empty() {
            output::note(format!("note: {others}"));
        }
    }
    let tables = |found: &FoundHarness| project.tables(&found.target.built().manifest_path);
    let configs = configs(args, &settings, tables, &selection)?;
    let caching = caching(&args.cargo.build, &settings.run);
    let launcher = roles::launcher(settings.run.replay)?;
    let is_partial = |found: &FoundHarness| found.target.built().is_of_partial_build;
    let is_partial = selection.run.iter().any(is_partial);
    let list = |found: &FoundHarness| ignored.of(&found.target.built().manifest_path);
    let lists = selection.run.iter().map(list).collect();
    let mut plan = crates::plan(selection, configs, caching, &launcher, &*monitor)?;
    plan.ignore(lists);
    plan.is_partial = is_partial;
    pipeline::run(plan, &settings.run, &interrupt, &mut *reporter, &monitor)
}

/// Returns what a run takes from earlier ones.
pub(super) fn caching(build: &BuildArgs, settings: &Settings) -> Caching {
    Caching {
        programs: !build.no_cache,
        // Neither paths nor profiles are stored with verdicts.
        verdicts: !build.no_cache && settings.replay_paths == 0 && !settings.profile,
        resume: build.resume,
    }
}

/// Returns the settings of each harness, where `tables` gives those of its project.
pub(super) fn configs<'a, Tables>(
    args: &RunArgs,
    settings: &RunSettings,
    tables: impl Fn(&FoundHarness) -> Tables,
    selection: &Selection,
) -> Result<Vec<Config>, CommandError>
where
    Tables: IntoIterator<Item = &'a SettingsTable>,
{
    if settings.form.verbosity == Verbosity::Verbose {
        let sources = |found: &FoundHarness| {
            let tables = tables(found).into_iter();
            let text = origins::describe(&args.engine, &found.harness.attribute, tables);
            (found.harness.name.clone(), text)
        };
        let described = selection.run.iter().map(sources);
        origins::lines(described).iter().for_each(output::note);
    }
    let config = |found: &FoundHarness| {
        let tables = tables(found);
        let mut config = resolve::config(&args.engine, &found.harness.attribute, tables)?;
        resolve::logs(&args.engine, &found.harness.name, &mut config)?;
        config.record_paths = settings.run.record_paths();
        config.profile = settings.run.profile;
        config.record_tree = settings.form.html.is_some();
        Ok(config)
    };
    selection.run.iter().map(config).collect()
}

/// Handles Ctrl-C from now on.
pub fn interrupt() -> Result<Interrupt, CommandError> {
    interrupt_with("interrupted: reporting what was found")
}

/// Handles Ctrl-C from now on; the first says this.
pub fn interrupt_with(text: &'static str) -> Result<Interrupt, CommandError> {
    Interrupt::install(move || output::note(format!("{text}; once more to stop at once")))
}

/// Replaces an error of another process by the interrupt, if the interrupt caused it.
pub fn unless(interrupt: &Interrupt, error: CommandError) -> CommandError {
    if interrupt.happened() {
        error.code(ExitCode::Interrupted)
    } else {
        error
    }
}

/// Returns the current directory.
pub fn here() -> PathBuf {
    std::env::current_dir().unwrap_or_default()
}
