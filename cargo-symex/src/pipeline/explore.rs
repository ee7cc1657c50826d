//! Runs one harness from exploration to report: explores it, replays each finding natively, settles
//! the verdict, writes tests.

use super::cluster::Cluster;
use super::event::{Monitor, Notice};
use super::interrupt::Interrupt;
use super::paths::{PathSample, Sampling};
use super::pre_runs::PreRuns;
use super::remainder::Beginning;
use super::seeds::Seeds;
use super::{HarnessReport, Settings, Task};
use crate::confirm::FindingReport;
use crate::confirm::confinement::{self, Rights};
use crate::confirm::path_replay::doubt;
use crate::confirm::replay::Replay;
use crate::confirm::settle::settle;
use crate::confirm::variants;
use crate::harness::{HarnessKind, TestHarness};
use crate::ignored::{Ignored, IgnoredFinding};
use crate::source::identity::Identity;
use crate::source::place::Places;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;
use symex_engine::{Aids, Cores, ExpectedPanic, InputSource, Job, RunMemory, explore_with};
use symex_types::event::{Event, Observer};
use symex_types::outcome::{Bound, Counted, Finding, Outcome, Stats, Unsupported, Verdict};

/// The parts of a run that all its harnesses share.
#[derive(Clone)]
pub(super) struct RunContext {
    pub interrupt: Interrupt,
    pub monitor: Arc<dyn Monitor>,
    pub settings: Settings,
    /// Whether the user was told what the kernel does not grant of the confinement.
    pub warned: Arc<AtomicBool>,
    /// The cores of the run.
    pub cores: Arc<Cores>,
    /// Lock of all that explore. Who holds it exclusively explores alone, with all the memory.
    pub explorers: Arc<RwLock<()>>,
    /// The cluster whose workers explore what takes long.
    pub cluster: Option<Arc<Cluster>>,
}

impl RunContext {
    /// Tells once, before the first native run, what the kernel does not grant of its confinement.
    pub fn warn_of_rights(&self) {
        if self.settings.replay != Rights::Confined || self.warned.swap(true, Ordering::Relaxed) {
            return;
        }
        if let Some(text) = confinement::not_granted() {
            let help = Some(format!("{}; --replay=off makes none", confinement::ADVICE));
            self.monitor.notice(Notice::Warning { text, help });
        }
    }
}

/// Runs one harness.
pub(super) fn run(mut task: Task, context: &RunContext) -> HarnessReport {
    let known = task.cached.outcome();
    let cached = known.is_some();
    let unfinished = task.cached.unfinished.clone();
    let begin = Instant::now();
    let (outcome, sample) = match known {
        Some(outcome) => (outcome, PathSample::default()),
        None => explored(&mut task, context),
    };
    let explored = begin.elapsed();
    let Outcome {
        mut verdict,
        findings,
        covers,
        stats,
        decisions,
        marks,
    } = outcome;
    let sources = context.settings.coverage.as_ref();
    let coverage = sources.and_then(|sources| {
        let (program, entry) = (task.program)().ok()?;
        sources.coverage(&program, &entry, &marks)
    });
    let Task {
        harness,
        confirm,
        ignored: list,
        ..
    } = task;
    let places = Places {
        here: PathBuf::new(),
        package: harness.manifest_dir.clone(),
    };
    let (mut replayed, mut identities) = (Vec::new(), Vec::new());
    let mut ignored = Ignored {
        file: list.file.clone(),
        ..Ignored::default()
    };
    for variants in variants::gather(&findings, &places) {
        let identity = Identity::of(&harness, &variants[0]);
        identities.push(identity.clone());
        let reason = list.reason(&identity);
        let report = variants::replay(variants, |finding| {
            if reason.is_some() {
                return not_replayed(finding, "it is ignored");
            }
            if context.settings.replay == Rights::Off {
                return not_replayed(finding, "--replay=off");
            }
            context.warn_of_rights();
            let harness = &harness.name;
            context.monitor.notice(Notice::Replaying { harness });
            confirm.replay(finding)
        });
        let Some(mut detail) = report else {
            continue;
        };
        detail.identity = Some(identity);
        match reason {
            Some(reason) => ignored.findings.push(IgnoredFinding {
                detail,
                reason: reason.to_owned(),
            }),
            None => replayed.push(detail),
        }
    }
    // What was not explored may have the finding.
    if is_searched(&verdict) {
        ignored.unmatched = list.unmatched(&harness.path(), &identities);
    }
    let left_out = !ignored.findings.is_empty();
    let mut findings = settle(&mut verdict, (stats.completed, left_out), replayed);
    let paths = sample.replay(&harness.name, context, |path| confirm.replay_path(path));
    doubt(&mut verdict, paths.as_ref());
    for finding in &mut findings {
        finding.test = confirm.regression(finding, context.settings.write);
    }
    let name = &harness.name;
    let confirmed = begin.elapsed() - explored;
    for (what, time, is_made) in [
        ("exploration", explored, !cached),
        (
            "native runs",
            confirmed,
            !findings.is_empty() || paths.is_some(),
        ),
    ] {
        if is_made {
            let what = &format!("{name}: {what}");
            context.monitor.notice(Notice::Took { what, time });
        }
    }
    context.monitor.notice(Notice::Finished { harness: name });
    HarnessReport {
        harness,
        verdict,
        findings,
        covers,
        stats,
        paths,
        cached,
        resumable: !cached && unfinished.exists(),
        coverage,
        decisions,
        ignored,
    }
}

/// Reports whether no path was left out that could have another finding.
fn is_searched(verdict: &Verdict) -> bool {
    let is_cut = |bound: &Counted<Bound>| bound.what.ends_run() || bound.what == Bound::MaxSteps;
    verdict.unsupported().is_empty() && !verdict.bounds().iter().any(is_cut)
}

fn not_replayed(finding: Finding, reason: &str) -> FindingReport {
    let reason = reason.to_owned();
    FindingReport::new(finding, Replay::Skipped { reason })
}

/// Explores a harness, from where an earlier run has stopped if that is wanted; a fuzz target that
/// accepts no input, with longer ones. Returns the engine's outcome, which is cached, and a sample
/// of the paths, which is not.
fn explored(task: &mut Task, context: &RunContext) -> (Outcome, PathSample) {
    loop {
        let result = explored_whole(task, context);
        if context.interrupt.happened() || !wants_longer_input(task, &result.0) {
            return result;
        }
        let config = &mut task.config;
        config.max_input = config.most_input.min(config.max_input * 2);
    }
}

/// Reports whether a fuzz target has accepted no input, such as one whose type needs more bytes,
/// and may be called with longer ones.
fn wants_longer_input(task: &Task, outcome: &Outcome) -> bool {
    task.harness.kind == HarnessKind::FuzzTarget
        && matches!(outcome.verdict, Verdict::Vacuous { .. })
        && task.config.max_input < task.config.most_input
}

/// Explores a harness, once more if what others have held or explored may have decided on it.
fn explored_whole(task: &mut Task, context: &RunContext) -> (Outcome, PathSample) {
    let memory = Arc::<RunMemory>::default();
    let (mut outcome, mut sample) = {
        let _beside_others = context.explorers.read();
        explored_once(task, context, &memory)
    };
    let is_cut = outcome
        .verdict
        .bounds()
        .iter()
        .any(|bound| bound.what == Bound::MaxMemory);
    let is_again = is_cut && memory.is_crowded_out() && !task.path_log.lists_paths();
    if is_again && !context.interrupt.happened() {
        // What others hold must not decide about the verdict.
        let lock = &context.explorers;
        let _alone = lock.write().unwrap_or_else(PoisonError::into_inner);
        (outcome, sample) = explored_once(task, context, &Arc::default());
    }
    let is_internal = |one: &Counted<Unsupported>| matches!(one.what, Unsupported::Internal(_));
    let is_wrong = outcome.verdict.unsupported().iter().any(is_internal);
    if is_wrong && (outcome.stats.earlier_seconds > 0.0 || outcome.stats.workers > 0) {
        // What went wrong may rest on the earlier run, or on what others have explored.
        task.cached.unfinished.remove();
        let alone = RunContext {
            cluster: None,
            ..context.clone()
        };
        return explored_once(task, &alone, &Arc::default());
    }
    (outcome, sample)
}

fn explored_once(
    task: &mut Task,
    context: &RunContext,
    memory: &Arc<RunMemory>,
) -> (Outcome, PathSample) {
    let (program, entry) = (task.program)().expect("it was decoded before the first run");
    let mut config = task.config.clone();
    let Beginning { on, keeper } = task.cached.unfinished.begin(&config);
    let remainder = on.map(|(remainder, limits)| {
        config.limits = limits;
        remainder
    });
    let job = Job {
        program,
        entry,
        config,
        should_panic: expected_panic(&task.harness),
        stop: context.interrupt.flag(),
        cores: context.cores.clone(),
        memory: memory.clone(),
    };
    let mut watch = ExplorationWatch::new(&*context.monitor, &task.harness.name);
    let mut logging = task.path_log.observe(&mut watch, &*context.monitor);
    let mut sampling = Sampling::new(&mut logging, context.settings.replay_paths);
    let pre_runs = PreRuns::of(&job, &task.confirm, context);
    let pre_runs = pre_runs.map(|runs| Box::new(runs) as Box<dyn InputSource>);
    let seeds = Seeds::of(&task.harness, job.config.max_input);
    let seeds = seeds.map(|seeds| Box::new(seeds) as Box<dyn InputSource>);
    let aids = Aids {
        answers: task.cached.answers(),
        inputs: pre_runs.or(seeds),
        keeper,
        remainder,
    };
    let outcome = match &context.cluster {
        Some(cluster) => cluster.explore(&job, aids, &task.harness.name, context, &mut sampling),
        None => explore_with(&job, aids, &mut sampling),
    };
    let mut bounds = outcome.verdict.bounds().iter();
    if !bounds.any(|one| one.what.is_for_want()) {
        task.cached.unfinished.remove();
    }
    let sample = sampling.finish();
    drop(logging);
    let limit = job.config.limits.timeout.map(|limit| limit.as_secs_f64());
    let seconds = outcome.stats.seconds - outcome.stats.earlier_seconds;
    let in_time = limit.is_none_or(|limit| seconds < limit);
    // Where no native run may be made, less may be found than with the same settings otherwise.
    let with_pre_runs = job.config.pre_runs == 0
        || context.settings.replay != Rights::Off
        || outcome.verdict == Verdict::PassComplete;
    // A run that was stopped may be incomplete in ways that no bound tells, such as the size of a
    // finding's inputs or the text of a panic.
    let is_last = !context.interrupt.happened() && !wants_longer_input(task, &outcome);
    if in_time && with_pre_runs && is_last {
        task.cached.keep(&outcome);
    }
    (outcome, sample)
}

/// Returns the panics that a harness is expected to end with.
pub(super) fn expected_panic(harness: &TestHarness) -> Option<ExpectedPanic> {
    let text = harness.should_panic.clone()?;
    Some(match harness.expects_some_panic() {
        true => ExpectedPanic::OnSomePath,
        false => ExpectedPanic::OnEachPath(text),
    })
}

/// Returns the report of a harness whose run panicked.
pub(super) fn crashed(harness: &TestHarness, message: String) -> HarnessReport {
    let what = format!("{message}; please report this with the harness");
    HarnessReport {
        harness: harness.clone(),
        verdict: Verdict::Inconclusive {
            unsupported: vec![Counted {
                what: Unsupported::Internal(what),
                at: None,
                count: 1,
            }],
            bounds: Vec::new(),
        },
        findings: Vec::new(),
        covers: Vec::new(),
        stats: Stats::default(),
        paths: None,
        cached: false,
        resumable: false,
        coverage: None,
        decisions: None,
        ignored: Ignored::default(),
    }
}

/// Turns the events of one exploration into notices.
struct ExplorationWatch<'a> {
    monitor: &'a dyn Monitor,
    harness: &'a str,
    findings: usize,
}

impl<'a> ExplorationWatch<'a> {
    fn new(monitor: &'a dyn Monitor, harness: &'a str) -> Self {
        monitor.notice(Notice::Started { harness });
        ExplorationWatch {
            monitor,
            harness,
            findings: 0,
        }
    }
}

impl Observer for ExplorationWatch<'_> {
    fn event(&mut self, event: Event) {
        match event {
            Event::Finding(_) => self.findings += 1,
            Event::Ended(_) => {}
            Event::Progress {
                paths,
                tree,
                states,
                seconds,
            } => self.monitor.notice(Notice::Exploring {
                harness: self.harness,
                paths,
                tree,
                seconds,
                waiting: states,
                findings: self.findings,
            }),
        }
    }
}
