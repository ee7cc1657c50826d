//! The pipeline from a crate, or from a program given as files, to reports: every kind of run takes
//! the same steps.
//!
//! | step | a crate | a program given as files |
//! |---|---|---|
//! | find and load | `discover`, with names by `names`, selected by `select` | `files` |
//! | look up earlier verdicts | `verdict_cache` | not kept |
//! | explore, confirm, settle | `explore`, several at a time by `schedule`; `pre_runs`, with `words` | the same, without `pre_runs` |
//! | report | `event` | the same |
//!
//! A [`RunPlan`] and [`Settings`] describe the run; its events go to a [`Reporter`] in the order of
//! the report, and its progress to a [`Monitor`] as it happens. Nothing here prints or knows the
//! command line.

pub mod cluster;
pub mod coverage;
pub mod crates;
pub mod discover;
pub mod error;
pub mod event;
pub mod exit_code;
mod explore;
pub mod files;
pub mod followed;
mod fuzz_closure;
pub mod interrupt;
pub mod libraries;
pub mod meta;
mod names;
pub mod partition;
pub mod paths;
mod pre_runs;
mod remainder;
pub mod roles;
mod schedule;
mod seeds;
pub mod select;
mod test_source;
pub mod verdict_cache;
mod words;

use crate::confirm::confinement::Rights;
use crate::confirm::path_replay::PathReplays;
use crate::confirm::{Confirm, FindingReport, WritePolicy};
use crate::harness::TestHarness;
use crate::ignored::{IgnoreList, Ignored};
use cluster::{Cluster, ClusterSettings};
use coverage::Sources;
use error::CommandError;
use event::{Monitor, Notice, Reporter, RunEvent, Summary};
use exit_code::ExitCode;
use interrupt::Interrupt;
use paths::PathLog;
use schedule::Schedule;
use std::sync::Arc;
use symex_engine::{Cores, Entry};
use symex_program::Program;
use symex_types::config::{Config, RecordPaths};
use symex_types::outcome::coverage::SourceCoverage;
use symex_types::outcome::decision_tree::DecisionTree;
use symex_types::outcome::{Stats, Verdict};
use verdict_cache::VerdictCache;

/// The report on one harness.
#[derive(Clone, Debug)]
pub struct HarnessReport {
    pub harness: TestHarness,
    /// The verdict after native replay.
    pub verdict: Verdict,
    /// The findings that remain after native replay, smallest inputs first.
    pub findings: Vec<FindingReport>,
    /// Names of `cover!` points, and whether each was reached.
    pub covers: Vec<(String, bool)>,
    pub stats: Stats,
    /// Results of native runs of paths without a finding, if requested.
    pub paths: Option<PathReplays>,
    /// Whether the exploration is that of an earlier run.
    pub cached: bool,
    /// Whether the exploration stopped at a limit, and can go on from there.
    pub resumable: bool,
    /// What of the source was run, if that is asked for and known.
    pub coverage: Option<SourceCoverage>,
    /// The tree of decisions, if it was recorded.
    pub decisions: Option<DecisionTree>,
    /// What was found and does not count.
    pub ignored: Ignored,
}

/// Settings of a run, other than the engine's.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of harnesses that are explored at a time. Where fewer are left, as many threads
    /// explore them.
    pub jobs: usize,
    /// The rights with which findings are replayed natively.
    pub replay: Rights,
    /// Number of paths without a finding that are replayed natively as well.
    pub replay_paths: usize,
    pub write: WritePolicy,
    /// Whether a bounded pass is an error.
    pub require_complete: bool,
    /// The cluster whose workers explore what takes long, if there is one.
    pub cluster: Option<ClusterSettings>,
    /// The files whose coverage is asked for, if it is.
    pub coverage: Option<Sources>,
    /// Whether it is recorded where the work is done.
    pub profile: bool,
}

impl Settings {
    /// Returns which paths the engine has to record.
    pub fn record_paths(&self) -> RecordPaths {
        match self.replay_paths {
            0 => RecordPaths::None,
            size => RecordPaths::Sample(size),
        }
    }
}

/// Loads a program and its entry; called only if the harness is explored.
pub type LoadProgram = Box<dyn Fn() -> Result<(Arc<Program>, Entry), CommandError> + Send>;

/// One harness that is to be explored.
pub struct Task {
    pub harness: TestHarness,
    pub program: LoadProgram,
    pub config: Config,
    pub confirm: Arc<dyn Confirm>,
    /// Results of an earlier run.
    pub cached: verdict_cache::CacheEntry,
    /// Log of all paths that end without a finding.
    pub path_log: PathLog,
    /// The findings that do not count.
    pub ignored: IgnoreList,
}

/// The harnesses to explore, and those left out.
#[derive(Default)]
pub struct RunPlan {
    /// Harnesses in the order of the report.
    pub tasks: Vec<Task>,
    /// Harnesses that `#[ignore]` leaves out.
    pub ignored: Vec<TestHarness>,
    /// Number of harnesses that the filters left out.
    pub filtered_out: usize,
    /// The cache that contains the tasks' entries.
    pub cache: VerdictCache,
    /// Tools that are missing to explore C, if any.
    pub missing_for_c: Option<String>,
    /// Whether something that was to be explored does not compile, and is left out.
    pub is_partial: bool,
}

impl RunPlan {
    /// Ignores findings: `lists` has those of each harness, in the order of the report.
    pub fn ignore(&mut self, lists: Vec<IgnoreList>) {
        for (task, list) in self.tasks.iter_mut().zip(lists) {
            task.ignored = list;
        }
    }
}

/// Runs a plan and reports its events. Returns the combined exit code of all reports.
pub fn run(
    plan: RunPlan,
    settings: &Settings,
    interrupt: &Interrupt,
    reporter: &mut dyn Reporter,
    monitor: &Arc<dyn Monitor>,
) -> Result<ExitCode, CommandError> {
    let harnesses: Vec<TestHarness> = plan.tasks.iter().map(|task| task.harness.clone()).collect();
    monitor.notice(Notice::Stage(harnesses.len()));
    let schedule = start(plan.tasks, &harnesses, settings, interrupt, monitor)?;
    reporter.event(RunEvent::RunStarted {
        harnesses: &harnesses,
        ignored: &plan.ignored,
    });
    let mut reports = Vec::new();
    for (number, harness) in harnesses.iter().enumerate() {
        match schedule.wait(number) {
            Some(report) => {
                reporter.event(RunEvent::HarnessFinished(&report));
                reports.push(report);
            }
            None => reporter.event(RunEvent::HarnessNotRun(harness)),
        }
    }
    monitor.notice(Notice::StageDone);
    if let Some(text) = plan.cache.warning() {
        monitor.notice(Notice::Warning { text, help: None });
    }
    warn_of_c(&reports, plan.missing_for_c, &**monitor);
    let interrupted = interrupt.happened();
    let code = exit_code(&reports, settings.require_complete, interrupted);
    let code = match plan.is_partial {
        true => code.and(ExitCode::BuildFailed),
        false => code,
    };
    reporter.event(RunEvent::RunFinished(Summary {
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
    harnesses: &[TestHarness],
    settings: &Settings,
    interrupt: &Interrupt,
    monitor: &Arc<dyn Monitor>,
) -> Result<Schedule<HarnessReport>, CommandError> {
    let cluster = settings.cluster.as_ref().filter(|_| !tasks.is_empty());
    let cluster = cluster.map(Cluster::connect).transpose()?;
    let context = explore::RunContext {
        cluster: cluster.map(Arc::new),
        interrupt: interrupt.clone(),
        monitor: monitor.clone(),
        settings: settings.clone(),
        warned: Arc::default(),
        cores: Arc::new(Cores::new(settings.jobs, 0)),
        explorers: Arc::default(),
    };
    let cores = context.cores.clone();
    let idle = move || cores.give_back();
    let tasks = tasks.into_iter().map(|task| {
        let context = context.clone();
        let task = move || (!context.interrupt.happened()).then(|| explore::run(task, &context));
        Box::new(task) as Box<dyn FnOnce() -> Option<HarnessReport> + Send>
    });
    let harnesses = harnesses.to_vec();
    let monitor = monitor.clone();
    let rescue = move |number: usize, message| {
        let harness = &harnesses[number];
        let name = &harness.name;
        monitor.notice(Notice::Finished { harness: name });
        Some(explore::crashed(harness, message))
    };
    Schedule::start(settings.jobs, tasks.collect(), idle, rescue)
        .map_err(|error| CommandError::usage(format!("failed to start a thread: {error}")))
}

/// Warns of missing tools if a path ended at C that could not be read.
fn warn_of_c(reports: &[HarnessReport], missing: Option<String>, monitor: &dyn Monitor) {
    let ended = |report: &HarnessReport| report.verdict.meets_machine_code();
    if missing.is_some() && reports.iter().any(ended) {
        monitor.notice(Notice::Warning {
            text: "C of these crates was not explored: no clang that fits was found".to_owned(),
            help: missing,
        });
    }
}

/// Returns the exit code of a run with these reports.
fn exit_code(reports: &[HarnessReport], require_complete: bool, interrupted: bool) -> ExitCode {
    if interrupted {
        return ExitCode::Interrupted;
    }
    let codes = reports
        .iter()
        .map(|report| ExitCode::of(&report.verdict, require_complete));
    codes.fold(ExitCode::Pass, ExitCode::and)
}
