//! Two explorations of one job that take turns: one follows each path by itself, the other merges
//! paths where they meet again.
//!
//! Merging makes some harnesses one path instead of millions, and the queries of others too hard:
//! which of the two it will be is not known before. So the first exploration begins alone; if it
//! does not end soon, a second begins, on a thread of its own, which merges paths. Whichever
//! explores all paths first gives the result; what the second finds on the way is a finding of the
//! first. The second is given up where merging brings little, or its queries are too hard.
//!
//! Work is counted and not timed, so that the result does not depend on which thread is faster:
//! what a turn of the second came to counts at the end of a certain turn of the first, which waits
//! for it there. As work takes the second more time (a merged query may take seconds), the first is
//! given some turns more, and so seldom waits.

use super::Job;
use super::crew::Seat;
use super::given_inputs::Foresight;
use super::search::{Search, Stop, tell_fresh, work_of};
use crate::exec::path::outcomes::ForetoldFinding;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use symex_solver::leftovers;
use symex_types::config::{AliasingModel, Config, Merging};
use symex_types::event::{Observer, Silent};
use symex_types::outcome::Outcome;

/// Work of the first exploration after which the second begins, in the units of [`work_of`].
const ALONE: u64 = 250_000;

/// Work of a turn of either exploration.
const TURN: u64 = 125_000;

/// Number of first turns of the second exploration for which the first has half as many more: so
/// much longer than its own may they take.
const SLOW_TURNS: u32 = 16;

/// Number of turns after which the first exploration has twice the work for each that follows, and
/// again: the longer the second goes on, the less is expected of it.
const FULL_TURNS: u32 = 32;

/// Number of turns for which the second exploration may be ahead of what the first has heard of.
const AHEAD: usize = 2;

/// Work after which the second exploration must have merged a part of its states.
const FIRST_LOOK: u64 = 500_000;

/// Number of states for each one that must have been merged by then.
const STATES_PER_MERGED: u64 = 8;

/// Work after which not too many states may wait in the second exploration.
const SECOND_LOOK: u64 = 2_000_000;

/// Part of all its states that may wait then, in percent. Where it is more, they become more faster
/// than they are merged.
const MOST_WAITING: u64 = 40;

/// Part of the memory limit up to which the second exploration goes on: what is above belongs to
/// the first.
const MEMORY_SHARE: u64 = 2;

/// Timeout of a query of the second exploration.
const QUERY_TIMEOUT: Duration = Duration::from_secs(2);

/// Time between two looks at the limits, while the first waits for the second.
const TICK: Duration = Duration::from_millis(5);

/// Greatest time for which the first waits for what the second had found when time was up.
const SOON: Duration = Duration::from_millis(50);

/// Reports whether a job with these settings is explored by two that take turns.
pub(super) fn is_worth_it(config: &Config) -> bool {
    let follows_references = config.aliasing == Some(AliasingModel::Tree);
    config.merging == Merging::Auto && !config.counts_or_records() && !follows_references
}

/// Explores a job by two explorations, of which this is the first.
pub(super) fn take_turns(
    mut first: Search<'_>,
    mut foresight: Foresight<'_>,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut most = ALONE;
    first.keep_cores(1);
    if first.run(&mut foresight, Some(most), observer) != Stop::Paused {
        return first.conclude(observer);
    }
    first.keep_cores(0);
    let seat = Seat::taken(&first.job.cores, 0);
    let mut second = Second::start(job_of_second(first.job), seat, first.started).ok();
    for turn in 1.. {
        let Some(both) = &mut second else { break };
        most += TURN;
        if first.run(&mut foresight, Some(most), observer) != Stop::Paused {
            // What it had found when time was up is not lost.
            if first.executor.queries.out_of_time() {
                first.executor.outcomes.foretell(both.stop_now());
            }
            return first.conclude(observer);
        }
        let began = Instant::now();
        let mut next = Next::Turn;
        while next == Next::Turn && both.is_due(turn) {
            next = match both.wait(|| first.executor.queries.out_of_time()) {
                Some(report) => {
                    first.executor.outcomes.foretell(report.new);
                    report.next
                }
                None => {
                    first.executor.outcomes.foretell(both.stop_now());
                    Next::Nothing
                }
            };
        }
        first.executor.outcomes.stats.beside_seconds += began.elapsed().as_secs_f64();
        if next == Next::Results {
            tell_fresh(&mut first.executor, observer);
            let known = first.executor.outcomes.tally.findings_from(0);
            if let Some(mut outcome) = both.conclude(known) {
                let stats = &first.executor.outcomes.stats;
                outcome.stats.followed = stats.followed;
                outcome.stats.foretold = stats.foretold;
                first.discard();
                return outcome;
            }
        }
        if next != Next::Turn {
            second = None;
        }
    }
    first.run(&mut foresight, None, observer);
    first.conclude(observer)
}

/// Returns for how many turns of the first exploration a turn of the second may take, by its number
/// from 1 on.
fn allowance(turn: u32) -> u32 {
    match turn {
        ..=SLOW_TURNS => 1 + turn % 2,
        _ => 1 << ((turn - 1) / FULL_TURNS).min(2),
    }
}

/// Returns the job of the second exploration.
fn job_of_second(job: &Job) -> Job {
    let mut second = Job {
        stop: Arc::default(),
        cores: Arc::default(),
        ..job.clone()
    };
    let config = &mut second.config;
    config.merging = Merging::Similar;
    config.solver.query_timeout = config.solver.query_timeout.min(QUERY_TIMEOUT);
    // The logs are those of the first.
    config.solver.query_log = None;
    config.solver.smtlib_log = None;
    let memory = &mut config.limits.max_memory;
    *memory = memory.map(|most| most / MEMORY_SHARE);
    second
}

/// What came of a turn of the second exploration.
struct Report {
    /// Findings since the last turn.
    new: Vec<ForetoldFinding>,
    next: Next,
}

/// What comes after a turn of the second exploration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Another turn.
    Turn,
    /// The results: all paths are explored.
    Results,
    /// Nothing: it is not worth it any more.
    Nothing,
}

/// The second exploration, which runs on a thread of its own. It stops when this is dropped.
struct Second {
    reports: Receiver<Report>,
    /// Takes the findings of the first exploration when the results are wanted.
    known: Sender<Vec<ForetoldFinding>>,
    results: Receiver<Outcome>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// Number of turns that were reported.
    turns: u32,
    /// The turn of the first exploration after which the next report is due.
    due: u32,
}

impl Second {
    /// Starts the thread, on a core if one was idle. The run began at this time.
    fn start(job: Job, seat: Option<Seat>, started: Instant) -> std::io::Result<Self> {
        let (sender, reports) = sync_channel(AHEAD);
        let (known, of_first) = channel();
        let (finished, results) = channel();
        let stop = job.stop.clone();
        let thread = std::thread::Builder::new().name("symex-merging".into());
        let thread = thread.stack_size(leftovers::STACK).spawn(move || {
            let _seat = seat;
            let search = Search::new(&job, None, None, None, started);
            if let Some(outcome) = explore(search, &sender, &of_first) {
                finished.send(outcome).ok();
            }
        })?;
        Ok(Second {
            reports,
            known,
            results,
            stop,
            thread: Some(thread),
            turns: 0,
            due: allowance(1),
        })
    }

    /// Reports whether a report is due after a turn of the first exploration.
    fn is_due(&self, turn: u32) -> bool {
        self.due <= turn
    }

    /// Waits for the report that is due; `None` if the run is over before.
    fn wait(&mut self, is_over: impl Fn() -> bool) -> Option<Report> {
        let report = loop {
            match self.reports.recv_timeout(TICK) {
                Ok(report) => break report,
                Err(RecvTimeoutError::Timeout) if !is_over() => {}
                Err(_) => return None,
            }
        };
        self.turns += 1;
        self.due += allowance(self.turns + 1);
        Some(report)
    }

    /// Returns the results, with findings of the first exploration.
    fn conclude(&self, known: Vec<ForetoldFinding>) -> Option<Outcome> {
        self.known.send(known).ok()?;
        self.results.recv().ok()
    }

    /// Stops it within its turn, and returns what it has found since the last report, as far as it
    /// comes soon.
    fn stop_now(&self) -> Vec<ForetoldFinding> {
        self.stop.store(true, Ordering::Relaxed);
        let mut found = Vec::new();
        while let Ok(report) = self.reports.recv_timeout(SOON) {
            found.extend(report.new);
        }
        found
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            leftovers::outlive(thread);
        }
    }
}

/// Carries out the turns of the second exploration, and returns its results if they are wanted.
fn explore(
    mut search: Search<'_>,
    reports: &SyncSender<Report>,
    of_first: &Receiver<Vec<ForetoldFinding>>,
) -> Option<Outcome> {
    let mut told = 0;
    let mut nothing = Foresight::new(search.job, None);
    for turn in 1.. {
        let stop = search.run(&mut nothing, Some(turn * TURN), &mut Silent);
        let tally = &search.executor.outcomes.tally;
        let new = tally.findings_from(told);
        told = tally.findings();
        let next = match stop {
            _ if search.executor.queries.solver.stats().unknown > 0 => Next::Nothing,
            Stop::Finished => Next::Results,
            Stop::Paused if is_promising(&search) => Next::Turn,
            Stop::Paused | Stop::Bounded => Next::Nothing,
        };
        if reports.send(Report { new, next }).is_err() || next == Next::Nothing {
            break;
        }
        if next == Next::Results {
            let known = of_first.recv().ok()?;
            search.executor.outcomes.foretell(known);
            return Some(search.conclude(&mut Silent));
        }
    }
    search.discard();
    None
}

/// Reports whether an exploration that merges paths may end sooner than one that does not.
fn is_promising(search: &Search) -> bool {
    let executor = &search.executor;
    let stats = &executor.outcomes.stats;
    let (work, waiting) = (work_of(executor), search.states() as u64);
    let states = stats.paths + stats.merged + waiting;
    let merges = stats.merged * STATES_PER_MERGED >= states;
    let converges = waiting * 100 <= states * MOST_WAITING;
    !executor.joining.has_given_up()
        && (merges || work < FIRST_LOOK)
        && (converges || work < SECOND_LOOK)
}
