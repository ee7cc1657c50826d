//! One harness from exploration to report: explore, replay each finding natively, settle the verdict, write tests.

use super::discover::Loaded;
use super::interrupt::Interrupt;
use super::paths::{Sample, Sampling};
use super::remembered::Memory;
use super::resolve::Write;
use crate::report::harness::Harness;
use crate::report::human::{how_text, kebab};
use crate::report::path_replay::{doubt, replay_path};
use crate::report::place::Places;
use crate::report::progress::{Progress, Watch};
use crate::report::replay::{How, Replay, Replayed, replay};
use crate::report::test_case::{self, Written};
use crate::report::trace;
use crate::report::verdict::{settle, stands};
use crate::report::{FindingReport, HarnessReport};
use std::sync::Mutex;
use std::time::Duration;
use symex_engine::{Entry, Job, explore_with};
use symex_types::config::Config;
use symex_types::outcome::{Counted, Finding, FindingKind, Gap, Outcome, Stats, Verdict};

/// Time for one native run. A hang that lasts as long is one.
pub const REPLAY_TIME: Duration = Duration::from_secs(10);

/// What a harness's run needs besides the harness.
#[derive(Clone)]
pub struct Context {
    pub interrupt: Interrupt,
    pub progress: Progress,
    pub replay: bool,
    /// How many of the paths that end well to run natively, too.
    pub replay_paths: usize,
    pub write: Write,
    /// Two harnesses may share a file for their tests.
    pub writing: std::sync::Arc<Mutex<()>>,
}

/// Runs one harness.
pub fn run(found: &Loaded, config: Config, memory: Memory<'_>, context: &Context) -> HarnessReport {
    let known = memory.outcome();
    let cached = known.is_some();
    let (mut outcome, sample) = match known {
        Some(outcome) => (outcome, Sample::default()),
        None => explored(found, config, memory, context),
    };
    let reports = outcome
        .findings
        .iter()
        .map(|finding| replayed(found, finding, context))
        .collect();
    let mut findings = settle(&mut outcome, reports);
    let paths = sample.replay(&found.harness.name, context, |path| {
        replay_path(&found.target.native()?, &found.harness, path, REPLAY_TIME)
    });
    doubt(&mut outcome, paths.as_ref());
    for (finding, report) in outcome.findings.iter().zip(&mut findings) {
        report.test = write_test(&found.harness, finding, report, context);
    }
    context.progress.done_one();
    HarnessReport {
        harness: found.harness.clone(),
        outcome,
        findings,
        paths,
        cached,
    }
}

/// What the engine finds, which is remembered, and a sample of the paths, which is not.
fn explored(
    found: &Loaded,
    config: Config,
    memory: Memory<'_>,
    context: &Context,
) -> (Outcome, Sample) {
    let (program, entry) = found.entry().expect("it was decoded before the first run");
    let job = Job {
        program,
        entry: Entry::Harness(entry),
        config,
        should_panic: found.harness.should_panic.clone(),
        stop: context.interrupt.flag(),
    };
    let mut watch = Watch::new(context.progress.clone(), &found.harness.name);
    let mut sampling = Sampling::new(&mut watch, context.replay_paths);
    let outcome = explore_with(&job, memory.answers(), &mut sampling);
    let sample = sampling.finish();
    let limit = job.config.limits.timeout.map(|limit| limit.as_secs_f64());
    let in_time = limit.is_none_or(|limit| outcome.stats.seconds < limit);
    // Whoever was stopped may have passed over more than the cuts tell: how small the inputs of a finding are, what a
    // panic says.
    if in_time && !context.interrupt.happened() {
        memory.keep(&outcome);
    }
    (outcome, sample)
}

/// The report of a harness whose run panicked.
pub fn crashed(harness: &Harness, message: String) -> HarnessReport {
    let what = format!("{message}; please report this with the harness");
    HarnessReport {
        harness: harness.clone(),
        outcome: Outcome {
            verdict: Verdict::Inconclusive {
                gaps: vec![Counted {
                    what: Gap::Internal(what),
                    at: None,
                    count: 1,
                }],
                cuts: Vec::new(),
            },
            findings: Vec::new(),
            covers: Vec::new(),
            stats: Stats::default(),
        },
        findings: Vec::new(),
        paths: None,
        cached: false,
    }
}

fn replayed(found: &Loaded, finding: &Finding, context: &Context) -> FindingReport {
    if !context.replay {
        let reason = "--no-replay".to_owned();
        return FindingReport::new(Replay::Skipped { reason });
    }
    context
        .progress
        .say(format!("{}: native replay", found.harness.name));
    let Replayed { replay, inputs } = match found.target.native() {
        Ok(native) => {
            let sanitized = |leaks| found.target.sanitized(leaks);
            replay(&native, sanitized, &found.harness, finding, REPLAY_TIME)
        }
        Err(reason) => return FindingReport::new(Replay::Failed { reason }),
    };
    FindingReport {
        replay,
        inputs,
        test: None,
    }
}

/// The regression test of a finding, written if that is wanted.
fn write_test(
    harness: &Harness,
    finding: &Finding,
    report: &FindingReport,
    context: &Context,
) -> Option<Written> {
    if context.write == Write::Never || !stands(finding, &report.replay) {
        return None;
    }
    let Some(inputs) = &report.inputs else {
        let reason = "the native run that tells the types of the inputs was not made".to_owned();
        return (context.write == Write::Always)
            .then_some(Written::NotWritten { reason, test: None });
    };
    let mut comment = comment(harness, finding, report);
    if let Replay::Confirmed {
        how: How::Sanitizer { .. },
    } = &report.replay
    {
        comment.push_str(match finding.kind {
            FindingKind::Leak => "\nPlain `cargo test` does not show it: that takes LeakSanitizer.",
            _ => {
                "\nPlain `cargo test` may not show it: that takes AddressSanitizer, with which `cargo symex replay` \
                 runs it, too."
            }
        });
    }
    let test = match test_case::compose(harness, &inputs.call, &comment) {
        Ok(test) => test,
        Err(reason) => return Some(Written::NotWritten { reason, test: None }),
    };
    if let Some(reason) = why_not_written(context.write, finding, &report.replay) {
        return Some(Written::NotWritten {
            reason: reason.to_owned(),
            test: Some(test),
        });
    }
    let _one_at_a_time = context
        .writing
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner);
    Some(test_case::write(harness, test))
}

/// Why a test that could be written is only shown.
pub fn why_not_written(write: Write, finding: &Finding, replay: &Replay) -> Option<&'static str> {
    let confirmed = matches!(replay, Replay::Confirmed { .. });
    match write {
        Write::Always => None,
        _ if !confirmed => {
            Some("nobody has seen it fail natively (--write-tests=always writes it)")
        }
        _ if finding.kind == FindingKind::Hang => {
            Some("it does not end (--write-tests=always writes it)")
        }
        Write::InCi => Some("the variable CI is set (--write-tests=always writes it)"),
        Write::Confirmed | Write::Never => None,
    }
}

/// What the test shows, for whoever reads it later.
pub fn comment(harness: &Harness, finding: &Finding, report: &FindingReport) -> String {
    let places = Places {
        here: harness.manifest_dir.clone(),
        package: harness.manifest_dir.clone(),
    };
    let message = match &report.replay {
        Replay::Confirmed {
            how: How::Panic { message, .. },
        } => message,
        _ => &finding.message,
    };
    let first = message.lines().next().unwrap_or_default();
    let mut text = format!("{}: {first}", kebab(finding.kind));
    if let Some(at) = trace::place(finding, &harness.place()) {
        text.push_str(&format!(" at {}:{}", places.path(at), at.line));
    }
    match &report.replay {
        Replay::Confirmed {
            how:
                how @ (How::Signal { .. }
                | How::NoEnd { .. }
                | How::ExitCode { .. }
                | How::Sanitizer { .. }),
        } => {
            text.push_str(&format!(" ({})", how_text(how, &places)));
        }
        Replay::NotReproduced { reason } => {
            text.push_str(&format!(" (not reproduced natively: {reason})"))
        }
        _ => {}
    }
    text
}
