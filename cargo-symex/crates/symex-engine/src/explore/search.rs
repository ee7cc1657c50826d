//! One exploration of a job: the paths that wait, the order in which they are run, the limits, and
//! what comes of it. It can pause after an amount of work, so that two take turns.

use super::given_inputs::Foresight;
use super::overseer::Overseer;
use super::session::Session;
use super::{Job, start};
use crate::exec::call::model::FindModel;
use crate::exec::path::alarm::Alarm;
use crate::exec::path::end::{Fault, PathEnd};
use crate::exec::path::outcomes::{Outcomes, Totals};
use crate::exec::{Executor, Pause};
use crate::search::Searcher;
use crate::state::{State, StateId};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use symex_memory::Footprint;
use symex_solver::chain::Chain;
use symex_solver::{AnswerStore, leftovers};
use symex_types::config::{Limits, RecordPaths};
use symex_types::event::{Event, Observer};
use symex_types::outcome::{Bound, Counted, FindingKind, Outcome, Unsupported, Verdict};

/// Interval at which the observer gets the statistics, and memory is measured.
const TICK: Duration = Duration::from_millis(100);

/// Assumption recorded by a run with
/// [`MemoryConfig::zeroed`](symex_types::config::MemoryConfig::zeroed).
const ZEROED: &str = "memory that nothing was written to was taken to be zero";

/// One exploration of a job.
pub(super) struct Search<'a> {
    pub job: &'a Job,
    pub executor: Executor<'a>,
    /// Time at which the run began.
    pub started: Instant,
    waiting: Waiting,
    overseer: Overseer,
    next_tick: Instant,
    news: News,
}

/// Reason for which a search has stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stop {
    /// It has done the work that it was given.
    Paused,
    /// No path is left.
    Finished,
    /// A limit was reached, and paths are left out.
    Bounded,
}

impl<'a> Search<'a> {
    /// Makes the exploration of a job up to its initial states. The run began at this time.
    pub fn new(job: &'a Job, answers: Option<Box<dyn AnswerStore>>, started: Instant) -> Self {
        let config = &job.config;
        let mut solver = Chain::with_experiment(&config.solver, &config.experiment);
        solver.set_answer_store(answers);
        let limits = &config.limits;
        // A time beyond the clock's range is no limit.
        let deadline = limits.timeout.and_then(|t| started.checked_add(t));
        let alarm = Arc::new(Alarm::new(job.stop.clone(), deadline, limits.max_memory));
        let overseer = Overseer::start(alarm.clone(), &solver);
        let find_model: &FindModel = match config.world.max_fail {
            0 => &crate::models::find,
            _ => &crate::models::find_failing,
        };
        let mut executor = Executor::new(&job.program, config, solver, find_model, alarm);
        executor.outcomes.expect_panic = job.should_panic.clone();
        if config.memory.zeroed {
            executor.outcomes.tally.assume(ZEROED);
        }
        let mut waiting = Waiting {
            searcher: crate::search::build(config.search, config.seed),
            unverified: VecDeque::new(),
            preempted: BTreeMap::new(),
            session: Session::default(),
        };
        match start(&mut executor, job) {
            Ok(states) => {
                for state in states {
                    waiting.searcher.add(state, None, true);
                }
            }
            Err(ended) => executor.end_path(ended.0, ended.1),
        }
        Search {
            job,
            executor,
            started,
            waiting,
            overseer,
            next_tick: started + TICK,
            news: News::default(),
        }
    }

    /// Explores paths until none is left, a limit is reached, or this work is done in all, in the
    /// units of [`work_of`].
    pub fn run(
        &mut self,
        foresight: &mut Foresight<'_>,
        most: Option<u64>,
        observer: &mut dyn Observer,
    ) -> Stop {
        let counts = |foresight: &Foresight| most.is_some() || foresight.is_open();
        self.executor.queries.solver.count_work(counts(foresight));
        loop {
            if most.is_some_and(|most| work_of(&self.executor) >= most) {
                return Stop::Paused;
            }
            let next = self.waiting.session.next();
            let next = next.or_else(|| self.waiting.searcher.next());
            let state = next.or_else(|| {
                let mut state = self.waiting.unverified.pop_front()?;
                state.stack.unpack();
                let possible = self.executor.verify(&mut state);
                possible.then_some(state)
            });
            let Some(state) = state else {
                if self.waiting.unverified.is_empty() && !self.waiting.preempt_more() {
                    return Stop::Finished;
                }
                continue;
            };
            let states = self.step(state);
            if foresight.is_open() {
                foresight.look(&mut self.executor);
                self.executor.queries.solver.count_work(counts(foresight));
            }
            if let Some(bound) = self.limit(states, observer) {
                if states == 0 {
                    return Stop::Finished;
                }
                self.executor.outcomes.tally.end_run(bound);
                return Stop::Bounded;
            }
        }
    }

    /// Runs a path for a while, sorts what comes of it, and returns the number of paths that are
    /// left.
    fn step(&mut self, mut state: State) -> usize {
        let (executor, waiting) = (&mut self.executor, &mut self.waiting);
        state.stack.unpack();
        let (id, preemptions) = (state.id, state.preemptions());
        let pause = executor.run(&mut state);
        let fresh_cover = executor.entered.take_fresh();
        if fresh_cover && executor.config.record_paths == RecordPaths::All {
            state.new_cover = Some(Rc::default());
        }
        let paths_before = executor.outcomes.stats.paths;
        let mut siblings = executor.siblings.take();
        for sibling in &siblings {
            executor.joining.enter(sibling);
        }
        match pause {
            Pause::End(PathEnd::Bounded(Bound::MaxSteps)) => {
                executor.joining.leave(&mut state);
                executor.outcomes.bounded(&state, Bound::MaxSteps);
                let message = format!("still running after {} instructions", state.steps);
                executor.end_path(
                    state,
                    PathEnd::Fault(Fault::new(FindingKind::Hang, message)),
                );
                waiting.searcher.note_end(id);
            }
            Pause::End(end) => {
                executor.joining.leave(&mut state);
                if (executor.outcomes.stats.paths + 1).is_power_of_two() {
                    measure(executor, waiting.iter().chain([&state]));
                }
                executor.end_path(state, end);
                waiting.searcher.note_end(id);
            }
            Pause::Yield => {
                executor.joining.leave_frames(&mut state);
                if state.joins.is_empty() {
                    state.stack.pack(None);
                    siblings
                        .iter_mut()
                        .filter(|s| s.joins.is_empty())
                        .for_each(|s| s.stack.pack(Some(&state.stack)));
                    waiting.searcher.add(state, None, fresh_cover);
                } else {
                    waiting.session.add(executor, state);
                }
            }
            Pause::Join => executor.joining.arrive(state),
        }
        for mut sibling in siblings {
            if sibling.joins.is_empty() {
                sibling.stack.pack(None);
            }
            waiting.add(executor, sibling, id, preemptions);
        }
        waiting.session.merge(executor, &mut *waiting.searcher);
        self.news.note(executor, fresh_cover, paths_before);
        let states = self.states();
        let peak = &mut self.executor.outcomes.stats.peak_states;
        if states as u64 > *peak {
            let before = std::mem::replace(peak, states as u64);
            if before == 0 || before.ilog2() < states.ilog2() {
                measure(&mut self.executor, self.waiting.iter());
            }
        }
        states
    }

    /// Returns the number of paths that are not explored yet.
    pub fn states(&self) -> usize {
        self.waiting.len() + self.executor.joining.waiting()
    }

    /// Returns the limit that has been reached, if any, where this number of paths is left. Tells
    /// the observer the news from time to time.
    fn limit(&mut self, states: usize, observer: &mut dyn Observer) -> Option<Bound> {
        let (executor, limits) = (&mut self.executor, &self.job.config.limits);
        let now = Instant::now();
        let bound = if let Some(bound) = executor.queries.time_is_up(now) {
            Some(bound)
        } else if limits
            .max_paths
            .is_some_and(|m| executor.outcomes.stats.paths >= m)
        {
            Some(Bound::MaxPaths)
        } else if limits
            .max_instructions
            .is_some_and(|m| executor.outcomes.stats.instructions >= m)
        {
            Some(Bound::MaxInstructions)
        } else if limits.stop_at_first_bug && executor.outcomes.tally.has_findings() {
            Some(Bound::FirstBug)
        } else if self.news.is_long_ago(executor, limits) {
            limits.after_bug.map(Bound::NothingNew)
        } else if now >= self.next_tick {
            self.next_tick = now + TICK;
            tell_fresh(executor, observer);
            executor.outcomes.stats.seconds = (now - self.started).as_secs_f64();
            observer.event(Event::Progress {
                stats: &executor.outcomes.stats,
                states,
            });
            // Where the system does not tell the memory of the process, that of terms stands for
            // it.
            let used = executor.pool.bytes() as u64;
            limits
                .max_memory
                .filter(|m| used > *m)
                .map(|_| Bound::MaxMemory)
        } else {
            None
        };
        executor
            .queries
            .alarm
            .expect(executor.pool.imminent_bytes());
        bound
    }

    /// Ends the exploration, and computes the results.
    pub fn conclude(mut self, observer: &mut dyn Observer) -> Outcome {
        drop(self.overseer);
        tell_fresh(&mut self.executor, observer);
        let alarm = self.executor.queries.alarm.clone();
        let outcome = finish(self.executor, self.started);
        free(LastStates(self.waiting), &alarm);
        outcome
    }

    /// Frees the exploration beside what comes next, since its results are not needed.
    pub fn discard(self) {
        drop(self.overseer);
        let Executor { queries, pool, .. } = self.executor;
        leftovers::dispose((queries, pool));
        leftovers::dispose(LastStates(self.waiting));
    }
}

/// Returns the work that an exploration has done so far, in units of about a microsecond. It is
/// counted and not timed: what depends on it is then independent of the machine and its load.
pub(super) fn work_of(executor: &Executor) -> u64 {
    let solver = &executor.queries.solver;
    // A query without an answer has taken the whole time for one.
    let timeout = executor.config.solver.query_timeout.as_micros() as u64;
    executor.outcomes.stats.instructions / 20
        + solver.asked() * 8
        + solver.stats().work() / 5
        + solver.stats().unknown * timeout
}

/// The states that are not being run.
struct Waiting {
    searcher: Box<dyn Searcher>,
    /// Paths whose first step may be impossible: followed, in order, when there is nothing else to
    /// do.
    unverified: VecDeque<State>,
    /// Paths on which threads were preempted more often than on those that are explored now, by
    /// that number. Most faults need few preemptions, and each more multiplies the paths.
    preempted: BTreeMap<u32, Vec<State>>,
    /// Paths for which others wait, to be merged with them.
    session: Session,
}

impl Waiting {
    /// Adds a state that was forked off.
    fn add(
        &mut self,
        executor: &mut Executor,
        mut state: State,
        parent: StateId,
        preemptions: u32,
    ) {
        let own = state.preemptions();
        if own > preemptions || state.unverified.is_some() {
            executor.joining.leave(&mut state);
        }
        match state.unverified {
            None if !state.joins.is_empty() => self.session.add(executor, state),
            _ if own > preemptions => self.preempted.entry(own).or_default().push(state),
            Some(_) => self.unverified.push_back(state),
            None => self.searcher.add(state, Some(parent), false),
        }
    }

    /// Goes on to the paths on which threads are preempted more often, if there are any.
    fn preempt_more(&mut self) -> bool {
        let Some((_, states)) = self.preempted.pop_first() else {
            return false;
        };
        for state in states {
            match state.unverified {
                Some(_) => self.unverified.push_back(state),
                None => self.searcher.add(state, None, false),
            }
        }
        true
    }

    /// Returns the number of states.
    fn len(&self) -> usize {
        let preempted: usize = self.preempted.values().map(Vec::len).sum();
        self.searcher.len() + self.unverified.len() + self.session.len() + preempted
    }

    /// Iterates over the states, in no order.
    fn iter(&self) -> impl Iterator<Item = &State> {
        let preempted = self.preempted.values().flatten();
        self.searcher
            .waiting()
            .chain(&self.unverified)
            .chain(self.session.iter())
            .chain(preempted)
    }
}

/// States that a run did not explore, after its executor is gone.
struct LastStates(#[expect(dead_code, reason = "it is only freed")] Waiting);

// SAFETY: states share what they hold (by `Rc`) with each other and with the executor only, and it
// is gone: they are the last owners, and move together.
unsafe impl Send for LastStates {}

/// State of progress when the exploration last found something new.
#[derive(Default)]
struct News {
    /// Number of findings then.
    findings: usize,
    /// Number of paths that had ended then.
    paths: u64,
}

impl News {
    /// Updates the progress after a step.
    fn note(&mut self, executor: &Executor, fresh_cover: bool, paths_before: u64) {
        let findings = executor.outcomes.tally.findings();
        if fresh_cover || findings > self.findings {
            self.findings = findings;
            self.paths = paths_before;
        }
    }

    /// Reports whether a harness with a bug has been explored for long enough since.
    fn is_long_ago(&self, executor: &Executor, limits: &Limits) -> bool {
        executor.outcomes.tally.has_findings()
            && limits
                .after_bug
                .is_some_and(|most| executor.outcomes.stats.paths - self.paths >= most)
    }
}

/// Tells the observer what has been found since it was last told.
pub(super) fn tell_fresh(executor: &mut Executor, observer: &mut dyn Observer) {
    for finding in std::mem::take(&mut executor.outcomes.fresh) {
        observer.event(Event::Finding(&finding));
    }
    for path in std::mem::take(&mut executor.outcomes.ended) {
        observer.event(Event::Ended(&path));
    }
}

/// Measures the memory of the waiting states, and of one more.
fn measure<'a>(executor: &mut Executor, states: impl Iterator<Item = &'a State>) {
    let mut footprint = Footprint::default();
    let mut count = 0;
    for state in states {
        state.memory.measure(&mut footprint);
        count += 1;
    }
    let Footprint { all, contents, .. } = footprint;
    executor
        .outcomes
        .stats
        .memory
        .measured(count, all, contents);
}

/// Frees what is left of a run: on a thread of its own where time or memory is used up, since that
/// may take long.
fn free(value: impl Send + 'static, alarm: &Alarm) {
    match alarm.reason(Instant::now()) {
        Some(_) => leftovers::dispose(value),
        None => drop(value),
    }
}

/// Computes the verdict from the results.
fn finish(executor: Executor, started: Instant) -> Outcome {
    let library = executor.program.library.clone();
    let Executor {
        mut outcomes,
        pool,
        queries,
        entered,
        policy,
        ..
    } = executor;
    let no_panic = outcomes.no_panic.take();
    let Outcomes {
        mut stats,
        tally,
        has_assumed,
        ..
    } = outcomes;
    stats.seconds = started.elapsed().as_secs_f64();
    stats.terms = pool.len() as u64;
    stats.term_bytes = pool.bytes() as u64;
    stats.library = library;
    stats.covered = entered.count() as u64;
    queries.solver.stats().tell(&mut stats);
    let alarm = queries.alarm.clone();
    free((queries, pool), &alarm);
    policy.tell(&mut stats.memory);
    let left_out = tally.has_left_out();
    let Totals {
        mut findings,
        mut unsupported,
        bounds,
        covers,
    } = tally.finish(stats.paths);
    // Where a path was left out, it may be the one that panics.
    let may_panic = left_out || !unsupported.is_empty();
    let lacks_panic = no_panic.is_some();
    if !may_panic && findings.is_empty() {
        match no_panic {
            // Where what is assumed does not hold, some input may panic.
            Some(_) if has_assumed => unsupported.push(Counted {
                what: Unsupported::Model("no input panics if what is assumed holds".to_owned()),
                at: None,
                count: 1,
            }),
            no_panic => findings.extend(no_panic),
        }
    }
    let unmet = covers.iter().find(|c| !c.1);
    let verdict = if !findings.is_empty() {
        Verdict::Bug {
            unsupported,
            bounds,
        }
    } else if !unsupported.is_empty() || left_out && (stats.completed == 0 || lacks_panic) {
        // Where a path was left out, it may be the one that reaches the end, or panics.
        Verdict::Inconclusive {
            unsupported,
            bounds,
        }
    } else if stats.completed == 0 {
        Verdict::Vacuous {
            why: "no input reaches the end of the harness".to_string(),
            bounds,
        }
    } else if let Some((name, _)) = unmet
        && !left_out
    {
        Verdict::Vacuous {
            why: format!("no input meets cover!({name:?})"),
            bounds,
        }
    } else if !bounds.is_empty() {
        Verdict::PassBounded { bounds }
    } else {
        Verdict::PassComplete
    };
    Outcome {
        verdict,
        findings,
        covers,
        stats,
    }
}
