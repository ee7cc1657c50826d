//! One exploration of a job: the paths that wait, the order in which they are run, the limits, and
//! what comes of it. It can pause after an amount of work, so that two take turns.

mod renewal;
mod stopping;

pub(super) use stopping::Record;

use super::crew::{self, Member, Part, Supply};
use super::forest::{Forest, Root};
use super::given_inputs::Foresight;
use super::overseer::Overseer;
use super::recurrence::Recurrences;
use super::remainder::{Keeper, Remainder};
use super::rerun::Rerun;
use super::results::Results;
use super::session::Session;
use super::{Job, start};
use crate::exec::call::model::FindModel;
use crate::exec::path::end::{Fault, PathEnd};
use crate::exec::path::outcomes::Outcomes;
use crate::exec::{Executor, Pause};
use crate::search::Searcher;
use crate::state::{Decisions, State, StateId, Trail};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;
use std::time::{Duration, Instant};
use symex_memory::Footprint;
use symex_solver::chain::Chain;
use symex_solver::{AnswerStore, leftovers};
use symex_types::config::{Limits, RecordPaths};
use symex_types::event::{Event, Observer};
use symex_types::outcome::decision_tree::EndKind;
use symex_types::outcome::{Bound, FindingKind, Outcome, Stats};

/// Interval at which the observer gets the statistics, and memory is measured.
const TICK: Duration = Duration::from_millis(100);

/// Time after which states are looked at again that were not worth giving away.
const NEXT_GIFT: Duration = Duration::from_millis(50);

/// Assumption recorded by a run with
/// [`MemoryConfig::zeroed`](symex_types::config::MemoryConfig::zeroed).
const ZEROED: &str = "memory that nothing was written to was taken to be zero";

/// One exploration of a job.
pub(super) struct Search<'a> {
    pub job: &'a Job,
    pub executor: Executor<'a>,
    /// Time at which the run began.
    pub started: Instant,
    /// Copies of the initial states, if the decisions of paths are recorded.
    pub starts: Vec<State>,
    rerun: Option<Rerun<'a>>,
    /// The place in the crew of the job, if there are other threads or may be.
    pub member: Option<Member>,
    waiting: Waiting,
    /// Paths that run for long.
    recurrences: Recurrences,
    overseer: Overseer,
    next_tick: Instant,
    /// Time from which on states are given away again, after none was worth it.
    next_gift: Instant,
    news: News,
    /// Keeps what is left of the exploration, if somebody wants it.
    record: Option<Record>,
    /// Whether the regions are those that somebody gave, who gets what is left.
    is_part: bool,
    /// What was counted before: in earlier runs, and by itself before the last renewal.
    earlier: Stats,
    /// Time that earlier runs took, in seconds.
    seconds_before: f64,
    /// Time from which on the exploration may be renewed.
    next_renewal: Instant,
    /// Memory of the process that the last renewal has left, in bytes.
    left_by_renewal: u64,
    /// Number of forks at the last renewal.
    renewed_at: u64,
    /// Whether a state came back whose decisions are not recorded.
    has_taken_back: bool,
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
    /// Makes the exploration of a job up to its initial states, or to what an earlier one left. The
    /// run began at this time.
    pub fn new(
        job: &'a Job,
        answers: Option<Box<dyn AnswerStore>>,
        keeper: Option<Box<dyn Keeper>>,
        remainder: Option<Remainder>,
        started: Instant,
    ) -> Self {
        let mut search = Self::of_part(job, started);
        search.record = keeper.map(|keeper| Record::new(keeper, &job.config));
        let keeps_rest = search.record.is_some();
        search.member = crew::may_help(job).then(|| Member::first(keeps_rest));
        search.executor.queries.solver.set_answer_store(answers);
        let is_recorded = is_recorded(job, keeps_rest || remainder.is_some());
        if is_recorded
            && let Some(remainder) = remainder
            && search.go_on_from(remainder)
        {
            return search;
        }
        if is_recorded && job.config.experiment.rerun_paths {
            search.rerun = Some(Rerun::new(job, started));
        }
        let starts = match is_recorded {
            true => search.starts.clone(),
            false => std::mem::take(&mut search.starts),
        };
        let count = starts.len();
        search.executor.outcomes.stats.tree.roots = count as u64;
        for (number, mut state) in starts.into_iter().enumerate() {
            if is_recorded {
                state.decisions = Decisions::recorded(number, count);
            }
            if search.executor.outcomes.sketch.is_some() {
                state.trail = Trail::from_start(number);
            }
            search.waiting.searcher.add(state, None, true);
        }
        search
    }

    /// Goes on from what an earlier run left, and reports whether that can be read.
    fn go_on_from(&mut self, remainder: Remainder) -> bool {
        let Some((earlier, open)) = remainder.go_on(&mut self.executor) else {
            return false;
        };
        // What happens up to the initial states is counted there.
        self.executor.outcomes.stats = Stats::default();
        self.seconds_before = earlier.seconds;
        self.earlier = Stats {
            earlier_seconds: earlier.seconds,
            ..earlier
        };
        self.waiting.forest = open;
        true
    }

    /// Makes the exploration of parts of a job: no state waits.
    pub fn of_part(job: &'a Job, started: Instant) -> Self {
        let config = &job.config;
        let solver = Chain::with_experiment(&config.solver, &config.experiment);
        let limits = &config.limits;
        // A time beyond the clock's range is no limit.
        let deadline = limits.timeout.and_then(|t| started.checked_add(t));
        let alarm = job.alarm(deadline);
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
        let waiting = Waiting {
            searcher: crate::search::build(config.search, config.seed),
            unverified: VecDeque::new(),
            preempted: BTreeMap::new(),
            session: Session::default(),
            forest: Forest::default(),
            cut: Vec::new(),
        };
        let starts = match start(&mut executor, job) {
            Ok(states) => states,
            Err(ended) => {
                executor.end_path(ended.0, ended.1);
                Vec::new()
            }
        };
        Search {
            job,
            executor,
            started,
            starts,
            rerun: None,
            member: None,
            waiting,
            recurrences: Recurrences::default(),
            overseer,
            next_tick: started + TICK,
            next_gift: started,
            news: News::default(),
            record: None,
            is_part: false,
            earlier: Stats::default(),
            seconds_before: 0.0,
            next_renewal: started,
            left_by_renewal: 0,
            renewed_at: 0,
            has_taken_back: false,
        }
    }

    /// Makes the exploration of some regions of a job, of which all that is counted is on paths
    /// behind their roots.
    pub fn of_regions(job: &'a Job, regions: Forest, started: Instant) -> Self {
        let mut search = Self::of_part(job, started);
        search.count_anew();
        search.waiting.forest = regions;
        search.is_part = true;
        search
    }

    /// Forgets what was counted up to the initial states, which the exploration of the whole job
    /// counts.
    pub fn count_anew(&mut self) {
        let outcomes = &mut self.executor.outcomes;
        let expect_panic = outcomes.expect_panic.take();
        *outcomes = Outcomes::recording(&self.job.program, &self.job.config);
        outcomes.expect_panic = expect_panic;
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
            if let Some(bound) = self.share() {
                return self.stop_at(bound);
            }
            if self.is_full() {
                self.renew();
            }
            self.replenish();
            let next = self.waiting.session.next();
            let next = next.or_else(|| self.waiting.searcher.next());
            let state = next.or_else(|| {
                let mut state = self.waiting.unverified.pop_front()?;
                state.stack.unpack();
                let start = self.start_of_step(&state);
                let possible = self.executor.verify(&mut state);
                let is_undone = start.is_some_and(|start| self.undo_if_cut(&state, start, None));
                if !possible && !is_undone {
                    self.executor.outcomes.note_end(&state);
                    let outcomes = &mut self.executor.outcomes;
                    outcomes.sketch_end(&state, EndKind::Impossible);
                }
                (possible && !is_undone).then_some(state)
            });
            let Some(state) = state else {
                if !self.waiting.cut.is_empty() {
                    let bound = self.limit(self.states(), observer);
                    return self.stop_at(bound.unwrap_or(Bound::Timeout));
                }
                if !self.waiting.unverified.is_empty() || self.waiting.preempt_more() {
                    continue;
                }
                // The root of the last region was not reached.
                if self.waiting.forest.len() > 0 {
                    if let Some(bound) = self.limit(self.states(), observer) {
                        return self.stop_at(bound);
                    }
                    continue;
                }
                match self.supply() {
                    Supply::State(state) => {
                        self.has_taken_back |= !state.decisions.are_recorded();
                        self.waiting.receive(*state);
                    }
                    Supply::Region(region) => self.go_on_at(&region),
                    Supply::Done => return Stop::Finished,
                    Supply::Nothing => {
                        if let Some(bound) = self.limit(0, observer) {
                            return self.stop_at(bound);
                        }
                        if most.is_some() {
                            return Stop::Paused;
                        }
                    }
                }
                continue;
            };
            let states = self.step(state);
            if foresight.is_open() {
                foresight.look(&mut self.executor);
                self.executor.queries.solver.count_work(counts(foresight));
            }
            if let Some(bound) = self.limit(states, observer) {
                return self.stop_at(bound);
            }
        }
    }

    /// Gives states away that other threads wait for, and returns the limit at which all stop, if
    /// one was reached.
    fn share(&mut self) -> Option<Bound> {
        let member = self.member.as_mut()?;
        if let Some(bound) = member.crew.stopped() {
            return Some(bound);
        }
        if member.owes_part() {
            self.tell_part();
        }
        let member = self.member.as_mut()?;
        let waiting = &mut self.waiting;
        let searcher = &mut waiting.searcher;
        let wanted = member.wanted(searcher.len() + waiting.forest.len());
        if wanted == 0 {
            return None;
        }
        let began = Instant::now();
        if began < self.next_gift {
            return None;
        }
        if let Some(region) = waiting.forest.take() {
            member.lend_region(region);
            member.spend(began);
            return None;
        }
        let of = |state: &State| (state.decisions.forks(), state.steps, state.id);
        let worth = searcher.waiting().filter(|state| member.is_worth_it(state));
        let mut shallow: Vec<_> = worth.map(of).collect();
        if shallow.len() > wanted {
            shallow.select_nth_unstable(wanted);
            shallow.truncate(wanted);
        }
        shallow.sort_unstable();
        if shallow.is_empty() {
            self.next_gift = began + NEXT_GIFT;
        }
        for (_, _, id) in shallow {
            if let Some(state) = searcher.remove(id) {
                member.lend(&self.executor, state);
            }
        }
        member.spend(began);
        None
    }

    /// Waits for a state from another thread.
    fn supply(&mut self) -> Supply {
        let Some(member) = &mut self.member else {
            return Supply::Done;
        };
        member.tell(&self.executor, 0);
        member.exchange(&mut self.executor);
        member.wait(&mut self.executor, &self.starts)
    }

    /// Stops at a limit, and the other threads with it. Paths that are left are left out.
    fn stop_at(&mut self, bound: Bound) -> Stop {
        if let Some(member) = &self.member {
            member.crew.stop(&bound);
        }
        if self.states() == 0 {
            return Stop::Finished;
        }
        self.executor.outcomes.tally.end_run(bound);
        Stop::Bounded
    }

    /// Runs a path for a while, sorts what comes of it, and returns the number of paths that are
    /// left.
    fn step(&mut self, mut state: State) -> usize {
        self.executor.profile(|profiler, _, _| profiler.start());
        state.stack.unpack();
        let (id, preemptions) = (state.id, state.preemptions());
        let start = self.start_of_step(&state);
        let pause = self.executor.run(&mut state);
        let pause = self
            .recurrences
            .follow(&mut self.executor, &mut state, pause);
        if let Some(start) = start
            && self.undo_if_cut(&state, start, Some(&pause))
        {
            return self.states();
        }
        let (executor, waiting) = (&mut self.executor, &mut self.waiting);
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
                if let Some(rerun) = &mut self.rerun {
                    rerun.check(executor, &state, &end);
                }
                executor.end_path(state, end);
                executor.profile(|profiler, _, asked| profiler.settle(asked));
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
        self.news
            .note(executor, fresh_cover, paths_before, self.member.as_ref());
        self.executor.profile(|profiler, _, _| profiler.pass());
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
        let now = Instant::now();
        if now >= self.next_tick || self.job.config.experiment.share_at_once {
            self.recruit(states);
            self.keep_now_and_then(now);
        }
        let (executor, limits) = (&mut self.executor, &self.job.config.limits);
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
        } else if self
            .news
            .is_long_ago(executor, limits, self.member.as_ref())
        {
            limits.after_bug.map(Bound::NothingNew)
        } else if now >= self.next_tick {
            self.next_tick = now + TICK;
            executor.outcomes.stats.seconds = (now - self.started).as_secs_f64();
            let mut totals = (executor.outcomes.stats.paths, states);
            if let Some(member) = &mut self.member {
                member.tell(executor, states);
                member.exchange(executor);
                totals = member.totals(states);
            }
            tell_fresh(executor, observer);
            let mut tree = self.earlier.tree.clone();
            tree.add(&executor.outcomes.stats.tree);
            observer.event(Event::Progress {
                paths: self.earlier.paths + totals.0,
                tree: &tree,
                states: totals.1,
                seconds: self.seconds_before + executor.outcomes.stats.seconds,
            });
            // Where the system does not tell the memory of the process, that of terms stands for
            // it.
            let used = executor.pool.bytes() as u64;
            executor.queries.alarm.hold(used);
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

    /// Starts another thread, if a core is idle.
    fn recruit(&mut self, states: usize) {
        if let Some(member) = &mut self.member
            && member.recruit(self.job, self.started, states)
        {
            self.waiting.searcher.share();
        }
    }

    /// Ends the exploration, and computes the results.
    pub fn conclude(mut self, observer: &mut dyn Observer) -> Outcome {
        tell_fresh(&mut self.executor, observer);
        let (job, started) = (self.job, self.started);
        let program = &job.program;
        let seconds_before = self.seconds_before;
        let (open, lent) = self.take_rest();
        let record = self.record.take();
        let member = self.member.take();
        let own = Part {
            results: self.results(),
            open,
            lent,
        };
        let Part {
            mut results, open, ..
        } = match member {
            Some(member) => member.gather(own),
            None => own,
        };
        results.set_seconds(started.elapsed().as_secs_f64() + seconds_before);
        if let Some(record) = record
            && let Some(open) = open
            && !results.tally.is_satisfied()
        {
            record.finish(program, &results, open);
        }
        results.outcome(program)
    }

    /// Sets the number of idle cores that are kept for something else.
    pub fn keep_cores(&mut self, number: usize) {
        if let Some(member) = &mut self.member {
            member.keeps = number;
        }
    }

    /// Takes a place in the crew of the job.
    pub fn join(&mut self, member: Member) {
        self.member = Some(member);
        self.waiting.searcher.share();
    }

    /// Ends the exploration of a part of the job.
    pub fn results(self) -> Results {
        drop(self.overseer);
        let alarm = self.executor.queries.alarm.clone();
        drop(self.rerun);
        let mut results = Results::of(self.executor);
        results.count(&self.earlier);
        // What is left of a run may take long to free.
        match alarm.reason(Instant::now()) {
            Some(_) => leftovers::dispose((LastStates(self.waiting, self.starts), alarm)),
            None => drop((self.waiting, self.starts)),
        }
        results
    }

    /// Frees the exploration beside what comes next, since its results are not needed.
    pub fn discard(self) {
        drop(self.overseer);
        let Executor { queries, pool, .. } = self.executor;
        // With its alarm, it holds the memory until then.
        leftovers::dispose((queries, pool));
        leftovers::dispose(LastStates(self.waiting, self.starts));
    }
}

/// Reports whether the decisions of the paths of a job are recorded: where regions may be of use,
/// or are wanted.
fn is_recorded(job: &Job, is_wanted: bool) -> bool {
    let config = &job.config;
    let is_of_use = is_wanted
        || crew::may_help(job)
        || config.limits.max_memory.is_some()
        || config.experiment.rerun_paths
        || config.experiment.renew_every.is_some();
    is_of_use && !config.merging.is_on()
}

/// Returns the work that an exploration has done so far, in units of about a microsecond. It is
/// counted and not timed: what depends on it is then independent of the machine and its load.
pub(super) fn work_of(executor: &Executor) -> u64 {
    let solver = &executor.queries.solver;
    // A query without an answer has taken the whole time for one.
    let timeout = executor.config.solver.query_timeout.as_micros() as u64;
    let stats = &executor.outcomes.stats;
    stats.instructions / 20
        + stats.forks * 10
        + stats.merged * 40
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
    /// Regions that are explored when few states wait.
    forest: Forest,
    /// Where paths are taken back to that a limit cut short in a step.
    cut: Vec<Root>,
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

    /// Adds a state that another thread has given away.
    fn receive(&mut self, mut state: State) {
        state.stack.pack(None);
        match state.unverified {
            Some(_) => self.unverified.push_back(state),
            None => self.searcher.add(state, None, false),
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
        let paths = self.searcher.len() + self.unverified.len() + self.session.len();
        paths + preempted + self.forest.len() + self.cut.len()
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
#[expect(dead_code, reason = "they are only freed")]
struct LastStates(Waiting, Vec<State>);

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
    fn note(
        &mut self,
        executor: &Executor,
        fresh_cover: bool,
        paths_before: u64,
        member: Option<&Member>,
    ) {
        let findings = executor.outcomes.tally.findings();
        if fresh_cover || findings > self.findings {
            self.findings = findings;
            self.paths = paths_before;
            if let Some(member) = member {
                member.note_news();
            }
        }
    }

    /// Reports whether a harness with a bug has been explored for long enough since.
    fn is_long_ago(&self, executor: &Executor, limits: &Limits, member: Option<&Member>) -> bool {
        let Some(most) = limits.after_bug else {
            return false;
        };
        let since = match member.filter(|member| member.has_others()) {
            Some(member) => member.paths_since_news(),
            None => executor.outcomes.stats.paths - self.paths,
        };
        executor.outcomes.tally.has_findings() && since >= most
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
