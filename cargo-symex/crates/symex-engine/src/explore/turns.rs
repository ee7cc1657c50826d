//! Two explorations of one job that take turns: one follows each path by itself, the other merges
//! paths where they meet again.
//!
//! Merging makes some harnesses one path instead of millions, and the queries of others too hard:
//! which of the two it will be is not known before. So the first exploration begins alone; if it
//! does not end soon, a second begins, on a thread of its own, which merges paths. Both do the same
//! work at a time and wait for each other in between. Whichever explores all paths first gives the
//! result; what the second finds on the way is a finding of the first. The second is given up where
//! merging brings little, or its queries are too hard, and does less at a time as it goes on.
//!
//! Work is counted and not timed, so that the result does not depend on which thread is faster.

use super::Job;
use super::crew::Seat;
use super::given_inputs::Foresight;
use super::search::{Search, Stop, tell_fresh, work_of};
use crate::exec::path::outcomes::ForetoldFinding;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use symex_solver::leftovers;
use symex_types::config::{AliasingModel, Config, Merging};
use symex_types::event::{Observer, Silent};
use symex_types::outcome::Outcome;

/// Work of the first exploration after which the second begins, in the units of [`work_of`].
const ALONE: u64 = 250_000;

/// Work of each exploration between two times that they wait for each other, at first.
const TURN: u64 = 250_000;

/// Number of turns after which those of the second exploration are halved, and once more.
const FULL_TURNS: u32 = 16;

/// Number of times that they are halved.
const SMALLEST_TURN: u32 = 2;

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
    let (mut most, mut most_of_second) = (ALONE, 0);
    first.keep_cores(1);
    if first.run(&mut foresight, Some(most), observer) != Stop::Paused {
        return first.conclude(observer);
    }
    first.keep_cores(0);
    let seat = Seat::taken(&first.job.cores, 0);
    let mut second = Second::start(job_of_second(first.job), seat, first.started).ok();
    let mut turns = 0;
    while let Some(both) = &second {
        most += TURN;
        most_of_second += turn_of_second(turns);
        turns += 1;
        both.turns.send(Turn::Run(most_of_second)).ok();
        let stop = first.run(&mut foresight, Some(most), observer);
        let is_over = |first: &Search| first.executor.queries.out_of_time();
        let report = match stop {
            Stop::Paused => {
                let began = Instant::now();
                let report = both.wait(|| is_over(&first));
                let waited = began.elapsed().as_secs_f64();
                first.executor.outcomes.stats.beside_seconds += waited;
                report
            }
            Stop::Finished | Stop::Bounded => None,
        };
        // What it had found when time was up is not lost.
        let report = report.or_else(|| is_over(&first).then(|| both.stop_now())?);
        let next = report.map(|report| {
            first.executor.outcomes.foretell(report.new);
            report.next
        });
        match (stop, next) {
            (Stop::Finished | Stop::Bounded, _) => return first.conclude(observer),
            (Stop::Paused, Some(Next::Turn)) => {}
            (Stop::Paused, Some(Next::Results)) => {
                tell_fresh(&mut first.executor, observer);
                let known = first.executor.outcomes.tally.findings_from(0);
                both.turns.send(Turn::Conclude(known)).ok();
                if let Ok(mut outcome) = both.results.recv() {
                    let stats = &first.executor.outcomes.stats;
                    outcome.stats.followed = stats.followed;
                    outcome.stats.foretold = stats.foretold;
                    first.discard();
                    return outcome;
                }
                second = None;
            }
            (Stop::Paused, Some(Next::Nothing) | None) => second = None,
        }
    }
    first.run(&mut foresight, None, observer);
    first.conclude(observer)
}

/// Returns the work of a turn of the second exploration, before which there were so many. It mostly
/// takes more time than the same work of the first, which waits: the longer it goes on, the less is
/// expected of it.
fn turn_of_second(before: u32) -> u64 {
    TURN >> (before / FULL_TURNS).min(SMALLEST_TURN)
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

/// What the second exploration does next.
enum Turn {
    /// Explore until this work is done in all.
    Run(u64),
    /// Compute the results, with findings of the first exploration.
    Conclude(Vec<ForetoldFinding>),
}

/// What came of a turn.
struct Report {
    /// Findings since the last turn.
    new: Vec<ForetoldFinding>,
    next: Next,
}

/// What comes after a turn.
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
    turns: Sender<Turn>,
    reports: Receiver<Report>,
    results: Receiver<Outcome>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    /// Its core, if one was idle.
    _seat: Option<Seat>,
}

impl Second {
    /// Starts the thread. The run began at this time.
    fn start(job: Job, seat: Option<Seat>, started: Instant) -> std::io::Result<Self> {
        let (turns, orders) = channel();
        let (sender, reports) = channel();
        let (finished, results) = channel();
        let stop = job.stop.clone();
        let thread = std::thread::Builder::new().name("symex-merging".into());
        let thread = thread.stack_size(leftovers::STACK).spawn(move || {
            let search = Search::new(&job, None, None, None, started);
            if let Some(outcome) = explore(search, &orders, &sender) {
                finished.send(outcome).ok();
            }
        })?;
        Ok(Second {
            turns,
            reports,
            results,
            stop,
            thread: Some(thread),
            _seat: seat,
        })
    }

    /// Waits for the end of the turn; `None` if the run is over before.
    fn wait(&self, is_over: impl Fn() -> bool) -> Option<Report> {
        loop {
            match self.reports.recv_timeout(TICK) {
                Ok(report) => return Some(report),
                Err(RecvTimeoutError::Timeout) if !is_over() => {}
                Err(_) => return None,
            }
        }
    }

    /// Stops it within its turn, and returns the report, if it comes soon.
    fn stop_now(&self) -> Option<Report> {
        self.stop.store(true, Ordering::Relaxed);
        self.reports.recv_timeout(SOON).ok()
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
    turns: &Receiver<Turn>,
    reports: &Sender<Report>,
) -> Option<Outcome> {
    let mut told = 0;
    let mut nothing = Foresight::new(search.job, None);
    while let Ok(turn) = turns.recv() {
        let most = match turn {
            Turn::Run(most) => most,
            Turn::Conclude(known) => {
                search.executor.outcomes.foretell(known);
                return Some(search.conclude(&mut Silent));
            }
        };
        let stop = search.run(&mut nothing, Some(most), &mut Silent);
        let tally = &search.executor.outcomes.tally;
        let new = tally.findings_from(told);
        told = tally.findings();
        let next = match stop {
            _ if search.executor.queries.solver.stats().unknown > 0 => Next::Nothing,
            Stop::Finished => Next::Results,
            Stop::Paused if is_promising(&search) => Next::Turn,
            Stop::Paused | Stop::Bounded => Next::Nothing,
        };
        let ends = matches!(next, Next::Nothing);
        if reports.send(Report { new, next }).is_err() || ends {
            break;
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
