//! Tests of explorations that stop, or are killed, and go on from what they left: they find the
//! same as one that does not.

use super::sharing::{is_whole, sharing, told};
use crate::memory::heap_programs::batch;
use crate::support::limited::{LIMIT, watch};
use crate::support::programs::in_c;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use symex_engine::{Aids, Cores, Entry, Job, Keeper, Remainder, explore_with};
use symex_program::Program;
use symex_types::config::Config;
use symex_types::event::Silent;
use symex_types::outcome::Outcome;

/// Greatest number of runs of one exploration.
const RUNS: usize = 400;

/// The remainders that an exploration has left, in the form on disk.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<Vec<u8>>>>);

impl Keeper for Kept {
    fn keep(&mut self, remainder: &Remainder) {
        assert!(remainder.regions() > 0);
        let bytes = remainder.to_bytes().expect("a remainder can be written");
        self.0.lock().unwrap().push(bytes);
    }
}

pub(super) struct Subject {
    pub program: Arc<Program>,
    entry: Entry,
    threads: usize,
}

impl Subject {
    fn of(source: &Path, folder: &Path) -> Self {
        let program = batch::compile(source, &["main".to_owned()], folder, false);
        let main = program.function_names["main"];
        Subject {
            program,
            entry: Entry::Main(main, vec!["program".to_owned()]),
            threads: 1,
        }
    }

    pub fn job(&self, config: Config) -> Job {
        let mut job = Job::new(self.program.clone(), self.entry.clone(), config);
        job.cores = Arc::new(Cores::new(self.threads, self.threads - 1));
        job
    }

    /// Explores from a remainder on; returns what the run left, too.
    pub fn explore(&self, config: Config, rest: Option<&[u8]>) -> (Outcome, Vec<Vec<u8>>) {
        let job = self.job(config);
        let kept = Kept::default();
        let read = |bytes| Remainder::from_bytes(bytes).expect("a remainder can be read");
        let aids = Aids {
            keeper: Some(Box::new(kept.clone())),
            remainder: rest.map(read),
            ..Aids::default()
        };
        let _watch = watch(LIMIT);
        let outcome = explore_with(&job, aids, &mut Silent);
        let kept = std::mem::take(&mut *kept.0.lock().unwrap());
        (outcome, kept)
    }

    /// Explores in runs with these limits, until one has left nothing; returns their number, too.
    fn explore_in_runs(&self, limits: impl Fn(&mut Config, usize)) -> (Outcome, usize) {
        let mut rest = None;
        for run in 1..=RUNS {
            let mut config = sharing();
            limits(&mut config, run);
            let (outcome, kept) = self.explore(config, rest.as_deref());
            if run > 1 {
                assert!(outcome.stats.earlier_seconds > 0.0, "it begins anew");
            }
            rest = kept.into_iter().last();
            if rest.is_none() {
                return (outcome, run);
            }
        }
        panic!("something is left after {RUNS} runs");
    }
}

/// Checks all C programs, and returns what `check` counts in them.
pub(super) fn check(check: impl Fn(&Subject, &Outcome) -> Result<usize, String>) -> usize {
    let folder = tempfile::tempdir().expect("a scratch folder");
    let (mut complaints, mut count) = (Vec::new(), 0);
    for source in in_c() {
        let subject = Subject::of(&source, folder.path());
        let (whole, rest) = subject.explore(sharing(), None);
        let is_whole = rest.is_empty();
        assert!(is_whole, "{}: {:?}", source.display(), whole.verdict);
        match check(&subject, &whole) {
            Ok(more) => count += more,
            Err(complaint) => complaints.push(format!("{}: {complaint}", source.display())),
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    count
}

/// Returns a limit that is raised if it is too low for one step.
fn raised(limit: u64, run: usize) -> u64 {
    limit << (run / 10)
}

/// Compares what is the same however often an exploration was cut in the midst of a query: the
/// values that stand for a path depend on the queries before.
fn compare_but_for_values(whole: &Outcome, parts: &Outcome, how: &str) -> Result<(), String> {
    let without_values = |outcome: &Outcome| {
        let mut outcome = outcome.clone();
        for finding in &mut outcome.findings {
            finding.output.clear();
            finding.inputs.iter_mut().for_each(|i| i.bytes.clear());
        }
        outcome
    };
    compare(&without_values(whole), &without_values(parts), how)
}

pub(super) fn compare(whole: &Outcome, parts: &Outcome, how: &str) -> Result<(), String> {
    is_whole(parts).map_err(|wrong| format!("{how}: {wrong}"))?;
    let (one, other) = (told(whole), told(parts));
    match one == other {
        true => Ok(()),
        false => Err(format!("{how}: {one:?} but {other:?}")),
    }
}

#[test]
fn an_exploration_that_stops_at_limits_goes_on() {
    let runs = check(|subject, whole| {
        let paths = whole.stats.paths / 5 + 1;
        let (parts, runs) = subject.explore_in_runs(|c, _| c.limits.max_paths = Some(paths));
        compare(whole, &parts, "paths")?;
        let work = whole.stats.instructions / 6 + 10;
        let (parts, more) = subject.explore_in_runs(|c, run| {
            c.limits.max_instructions = Some(raised(work, run));
        });
        compare(whole, &parts, "instructions")?;
        Ok(runs + more)
    });
    assert!(runs > 200, "{runs}");
}

#[test]
fn an_exploration_that_stops_for_want_of_time_goes_on() {
    let runs = check(|subject, whole| {
        let (parts, runs) = subject.explore_in_runs(|c, run| {
            c.limits.timeout = Some(Duration::from_micros(raised(500, run)));
        });
        compare_but_for_values(whole, &parts, "time")?;
        Ok(runs)
    });
    assert!(runs > 200, "{runs}");
}

#[test]
fn an_exploration_that_is_killed_goes_on() {
    let checked = check(|subject, whole| {
        let mut checked = 0;
        for threads in [1, 3] {
            let subject = Subject {
                program: subject.program.clone(),
                entry: subject.entry.clone(),
                threads,
            };
            let mut config = sharing();
            config.experiment.keep_every = Some(Duration::from_micros(300));
            let (parts, kept) = subject.explore(config, None);
            compare(whole, &parts, "kept")?;
            for number in [1, 3] {
                let Some(rest) = kept.get(kept.len() * number / 4) else {
                    continue;
                };
                let (parts, _) = subject.explore(sharing(), Some(rest));
                compare(whole, &parts, &format!("killed, {threads} threads"))?;
                checked += 1;
            }
        }
        Ok(checked)
    });
    assert!(checked > 10, "{checked}");
}
