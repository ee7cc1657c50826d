//! From a crate, or a program given as files, to reports: the one way that every kind of run takes.
//!
//! | step | a crate | a program given as files |
//! |---|---|---|
//! | find and load | `discover`, with names by `names`, selected by `select` | `files` |
//! | look up earlier verdicts | `verdict_cache` | not kept |
//! | explore, confirm, settle | `explore`, several at a time by `schedule` | the same |
//! | tell | `event` | the same |
//!
//! What a run is to do comes as a [`Plan`] and [`Settings`]; what happens is told to a [`Reporter`]
//! in the order of the report, and to a [`Monitor`] as it happens. Nothing here prints, and no
//! command line is known here.

pub mod crates;
pub mod discover;
pub mod error;
pub mod event;
pub mod exit_code;
mod explore;
pub mod files;
pub mod interrupt;
pub mod libraries;
pub mod meta;
mod names;
pub mod paths;
pub mod process;
mod schedule;
pub mod select;
pub mod verdict_cache;

use crate::confirm::path_replay::PathReplays;
use crate::confirm::{Confirm, FindingReport, WritePolicy};
use crate::harness::Harness;
use error::CommandError;
use event::{Event, Monitor, Notice, Reporter, Summary};
use exit_code::ExitCode;
use interrupt::Interrupt;
use paths::PathLog;
use schedule::Schedule;
use std::sync::Arc;
use symex_engine::Entry;
use symex_program::Program;
use symex_types::config::{Config, RecordPaths};
use symex_types::outcome::{Stats, Verdict};
use verdict_cache::VerdictCache;

/// Everything there is to say about one harness.
#[derive(Clone, Debug)]
pub struct HarnessReport {
    pub harness: Harness,
    /// The verdict after native replay.
    pub verdict: Verdict,
    /// The findings that remain after native replay, smallest inputs first.
    pub findings: Vec<FindingReport>,
    /// Names of `cover!` points and whether each was met.
    pub covers: Vec<(String, bool)>,
    pub stats: Stats,
    /// What native runs of paths that end well said, if any were wanted.
    pub paths: Option<PathReplays>,
    /// Is the exploration that of an earlier run?
    pub cached: bool,
}

/// Settings of a run apart from the engine's.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of harnesses that are explored at a time.
    pub jobs: usize,
    /// Are findings run natively?
    pub replay: bool,
    /// Number of paths without a finding that are run natively, too.
    pub replay_paths: usize,
    pub write: WritePolicy,
    /// Is a bounded pass an error?
    pub require_complete: bool,
}

impl Settings {
    /// Which paths the engine has to tell.
    pub fn record_paths(&self) -> RecordPaths {
        match self.replay_paths {
            0 => RecordPaths::None,
            size => RecordPaths::Sample(size),
        }
    }
}

/// Gives a program and where to start it; asked for only where the harness is explored.
pub type LoadProgram = Box<dyn Fn() -> Result<(Arc<Program>, Entry), CommandError> + Send>;

/// One harness that is to be explored.
pub struct Task {
    pub harness: Harness,
    pub program: LoadProgram,
    pub config: Config,
    pub confirm: Box<dyn Confirm>,
    /// What an earlier run found.
    pub cached: verdict_cache::CacheEntry,
    /// Where all paths that end well are written.
    pub path_log: PathLog,
}

/// What a run is to do.
#[derive(Default)]
pub struct Plan {
    /// Harnesses in the order of the report.
    pub tasks: Vec<Task>,
    /// Harnesses that `#[ignore]` leaves out.
    pub ignored: Vec<Harness>,
    /// Number of harnesses that the filters left out.
    pub filtered_out: usize,
    /// The cache that the tasks' entries are of.
    pub cache: VerdictCache,
    /// What is missing to explore C, if it is.
    pub missing_for_c: Option<String>,
}

/// Runs a plan and tells how it goes. Returns the exit code that the reports come to.
pub fn run(
    plan: Plan,
    settings: &Settings,
    interrupt: &Interrupt,
    reporter: &mut dyn Reporter,
    monitor: &Arc<dyn Monitor>,
) -> Result<ExitCode, CommandError> {
    let harnesses: Vec<Harness> = plan.tasks.iter().map(|task| task.harness.clone()).collect();
    monitor.notice(Notice::Stage(harnesses.len()));
    let schedule = start(plan.tasks, &harnesses, settings, interrupt, monitor)?;
    reporter.event(Event::RunStarted {
        harnesses: &harnesses,
        ignored: &plan.ignored,
    });
    let mut reports = Vec::new();
    for (number, harness) in harnesses.iter().enumerate() {
        match schedule.wait(number) {
            Some(report) => {
                reporter.event(Event::HarnessFinished(&report));
                reports.push(report);
            }
            None => reporter.event(Event::HarnessNotRun(harness)),
        }
    }
    monitor.notice(Notice::StageDone);
    if let Some(text) = plan.cache.warning() {
        monitor.notice(Notice::Warning { text, help: None });
    }
    warn_of_c(&reports, plan.missing_for_c, &**monitor);
    let interrupted = interrupt.happened();
    let code = exit_code(&reports, settings.require_complete, interrupted);
    reporter.event(Event::RunFinished(Summary {
        not_run: harnesses.len() - reports.len(),
        reports: &reports,
        ignored: plan.ignored.len(),
        filtered_out: plan.filtered_out,
        code,
        interrupted,
    }));
    Ok(code)
}

fn start(
    tasks: Vec<Task>,
    harnesses: &[Harness],
    settings: &Settings,
    interrupt: &Interrupt,
    monitor: &Arc<dyn Monitor>,
) -> Result<Schedule<HarnessReport>, CommandError> {
    let context = explore::Context {
        interrupt: interrupt.clone(),
        monitor: monitor.clone(),
        settings: settings.clone(),
    };
    let tasks = tasks.into_iter().map(|task| {
        let context = context.clone();
        let task = move || (!context.interrupt.happened()).then(|| explore::run(task, &context));
        Box::new(task) as Box<dyn FnOnce() -> Option<HarnessReport> + Send>
    });
    let harnesses = harnesses.to_vec();
    let monitor = monitor.clone();
    let rescue = move |number: usize, message| {
        monitor.notice(Notice::StepDone);
        Some(explore::crashed(&harnesses[number], message))
    };
    Schedule::start(settings.jobs, tasks.collect(), rescue)
        .map_err(|error| CommandError::usage(format!("failed to start a thread: {error}")))
}

/// Says what is missing where a path ended at C that could not be read.
fn warn_of_c(reports: &[HarnessReport], missing: Option<String>, monitor: &dyn Monitor) {
    let ended = |report: &HarnessReport| report.verdict.meets_machine_code();
    if missing.is_some() && reports.iter().any(ended) {
        monitor.notice(Notice::Warning {
            text: "C of these crates was not explored: no clang that fits was found".to_owned(),
            help: missing,
        });
    }
}

/// The code of a run with these reports.
fn exit_code(reports: &[HarnessReport], require_complete: bool, interrupted: bool) -> ExitCode {
    if interrupted {
        return ExitCode::Interrupted;
    }
    let codes = reports
        .iter()
        .map(|report| ExitCode::of(&report.verdict, require_complete));
    codes.fold(ExitCode::Pass, ExitCode::and)
}
