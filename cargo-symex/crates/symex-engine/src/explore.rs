//! Entry point of the engine: connects settings to searcher, solver chain, memory and models, and
//! explores one harness. It is the one place that chooses implementations.

mod follow;
mod given_inputs;
mod initial_world;
mod overseer;
mod session;

use crate::exec::path::alarm::Alarm;
use crate::exec::path::end::{Fault, PathEnd};
use crate::exec::path::outcomes::{Outcomes, Totals};
use crate::exec::{EntryKind, Executor, Pause};
use crate::search::Searcher;
use crate::state::{Frame, Stack, State, StateId};
use given_inputs::Foresight;
pub use given_inputs::{GivenInputs, InputSource};
use overseer::Overseer;
use session::Session;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use symex_memory::Footprint;
use symex_program::{FuncId, Program};
use symex_solver::AnswerStore;
use symex_solver::chain::Chain;
use symex_solver::leftovers;
use symex_terms::Value;
use symex_types::config::{Config, Limits};
use symex_types::event::{Event, Observer};
use symex_types::outcome::{Bound, FindingKind, Outcome, Unsupported, Verdict};

/// Interval at which the observer gets the statistics, and memory is measured.
const TICK: Duration = Duration::from_millis(100);

/// A harness to explore, with the settings.
pub struct Job {
    pub program: Arc<Program>,
    /// Function to call.
    pub entry: Entry,
    pub config: Config,
    /// Set if a panic that leaves the entry is expected, and a normal return is the failure. A
    /// non-empty text must be contained in the panic's message.
    pub should_panic: Option<String>,
    /// Flag set from outside to stop soon, keeping the results.
    pub stop: Arc<AtomicBool>,
}

/// Function to start with, and its arguments.
#[derive(Clone, Debug)]
pub enum Entry {
    /// A function without arguments: `fn()`.
    Harness(FuncId),
    /// C's `main(argc, argv, envp)` with these arguments (program name first), and after them the
    /// symbolic ones of the settings.
    Main(FuncId, Vec<String>),
}

/// What an exploration can do without, and is quicker with.
#[derive(Default)]
pub struct Aids {
    /// Answers of earlier runs.
    pub answers: Option<Box<dyn AnswerStore>>,
    /// Inputs that are worth following before the exploration comes to them.
    pub inputs: Option<Box<dyn InputSource>>,
}

/// Explores all paths of a job within its limits.
pub fn explore(job: &Job, observer: &mut dyn Observer) -> Outcome {
    explore_with(job, Aids::default(), observer)
}

/// Explores as [`explore`] does, with aids.
pub fn explore_with(job: &Job, aids: Aids, observer: &mut dyn Observer) -> Outcome {
    let config = &job.config;
    overseer::release_memory(config.limits.max_memory);
    let started = Instant::now();
    let mut solver = Chain::with_experiment(&config.solver, &config.experiment);
    solver.set_answer_store(aids.answers);
    let limits = &config.limits;
    // A time beyond the clock's range is no limit.
    let deadline = limits.timeout.and_then(|t| started.checked_add(t));
    let alarm = Arc::new(Alarm::new(job.stop.clone(), deadline, limits.max_memory));
    let overseer = Overseer::start(alarm.clone(), &solver);
    let mut executor = Executor::new(
        &job.program,
        config,
        solver,
        match config.world.max_fail {
            0 => &crate::models::find,
            _ => &crate::models::find_failing,
        },
        alarm.clone(),
    );
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
            let foresight = Foresight::new(&mut executor, job, aids.inputs);
            let run = (foresight, started);
            search(&mut executor, &mut waiting, config, observer, run);
        }
        Err(ended) => executor.end_path(ended.0, ended.1),
    }
    drop(overseer);
    tell_fresh(&mut executor, observer);
    let outcome = finish(executor, started);
    free(LastStates(waiting), &alarm);
    outcome
}

/// Frees what is left of a run: on a thread of its own where time or memory is used up, since that
/// may take long.
fn free(value: impl Send + 'static, alarm: &Alarm) {
    match alarm.reason(Instant::now()) {
        Some(_) => leftovers::dispose(value),
        None => drop(value),
    }
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

/// Assumption recorded by a run with
/// [`MemoryConfig::zeroed`](symex_types::config::MemoryConfig::zeroed).
const ZEROED: &str = "memory that nothing was written to was taken to be zero";

/// Returns the initial states, after the program's own constructors have run: one for each number
/// of arguments.
fn start(executor: &mut Executor, job: &Job) -> Result<Vec<State>, Box<(State, PathEnd)>> {
    let entry = match &job.entry {
        Entry::Harness(f) | Entry::Main(f, _) => *f,
    };
    let mut state = executor.initial_state(entry, &[]);
    let program = job.program.clone();
    if program.function(entry).body.is_none() {
        let name = program.function(entry).display.clone();
        return Err(Box::new((
            state,
            PathEnd::Unsupported(Unsupported::NoModel(name)),
        )));
    }
    initial_world::make_environment(executor, &mut state);
    initial_world::make_files(executor, &mut state);
    executor.run_at_exit(&mut state, &program.destructors);
    for constructor in &program.constructors {
        // glibc passes argc, argv and envp to them; what the harness runs under has no arguments.
        let none = vec![Value::Int(0); program.function(*constructor).params.len()];
        enter(executor.program, &mut state, *constructor, &none);
        loop {
            match executor.run(&mut state) {
                Pause::End(PathEnd::Completed) => break,
                Pause::End(end) => return Err(Box::new((state, end))),
                Pause::Yield if executor.siblings.is_empty() && !executor.queries.out_of_time() => {
                }
                Pause::Join => unreachable!("no joins are open yet"),
                Pause::Yield if executor.queries.out_of_time() => {
                    let bound = executor.queries.time_is_up(Instant::now());
                    let end = PathEnd::Bounded(bound.unwrap_or(Bound::Timeout));
                    return Err(Box::new((state, end)));
                }
                Pause::Yield => {
                    let why = format!(
                        "constructor {} depends on inputs or does not end",
                        program.function(*constructor).display
                    );
                    return Err(Box::new((
                        state,
                        PathEnd::Unsupported(Unsupported::Operation(why)),
                    )));
                }
            }
        }
    }
    executor.entry_kind = EntryKind::Harness;
    let Entry::Main(_, given) = &job.entry else {
        enter(executor.program, &mut state, entry, &[]);
        return Ok(vec![state]);
    };
    executor.entry_kind = EntryKind::Main;
    let mut lists = executor.config.world.argument_lists();
    let last = lists.pop().unwrap_or_default();
    let begin = |executor: &mut Executor, mut state: State, lengths: &[u64]| {
        let args = initial_world::main_arguments(executor, &mut state, entry, given, lengths);
        enter(executor.program, &mut state, entry, &args);
        state
    };
    let mut states = Vec::with_capacity(lists.len() + 1);
    for lengths in lists {
        let copy = executor.clone_state(&state);
        states.push(begin(executor, copy, &lengths));
    }
    states.push(begin(executor, state, &last));
    Ok(states)
}

/// Replaces all frames by one of a function.
fn enter(program: &Program, state: &mut State, function: FuncId, args: &[Value]) {
    let slots = program
        .function(function)
        .body
        .as_ref()
        .map_or(0, |b| b.slots as usize);
    state.stack = Stack::new(Frame::first(function, slots, args));
}

/// Explores paths until none is left or a limit is reached.
fn search(
    executor: &mut Executor,
    waiting: &mut Waiting,
    config: &Config,
    observer: &mut dyn Observer,
    (mut foresight, started): (Foresight<'_>, Instant),
) {
    let limits = &config.limits;
    let mut next_tick = started + TICK;
    let mut news = News::default();
    loop {
        let next = waiting.session.next();
        let next = next.or_else(|| waiting.searcher.next());
        let state = next.or_else(|| {
            let mut state = waiting.unverified.pop_front()?;
            state.stack.unpack();
            let possible = executor.verify(&mut state);
            possible.then_some(state)
        });
        let Some(mut state) = state else {
            if waiting.unverified.is_empty() && !waiting.preempt_more() {
                return;
            }
            continue;
        };
        state.stack.unpack();
        let (id, preemptions) = (state.id, state.preemptions());
        let pause = executor.run(&mut state);
        let fresh_cover = executor.entered.take_fresh();
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
        news.note(executor, fresh_cover, paths_before);
        let count = waiting.len() + executor.joining.waiting();
        if count as u64 > executor.outcomes.stats.peak_states {
            let before = std::mem::replace(&mut executor.outcomes.stats.peak_states, count as u64);
            if before == 0 || before.ilog2() < count.ilog2() {
                measure(executor, waiting.iter());
            }
        }
        foresight.look(executor);
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
        } else if news.is_long_ago(executor, limits) {
            limits.after_bug.map(Bound::NothingNew)
        } else if now >= next_tick {
            next_tick = now + TICK;
            tell_fresh(executor, observer);
            executor.outcomes.stats.seconds = (now - started).as_secs_f64();
            observer.event(Event::Progress {
                stats: &executor.outcomes.stats,
                states: count,
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
        if let Some(bound) = bound {
            if count > 0 {
                executor.outcomes.tally.end_run(bound);
            }
            return;
        }
    }
}

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

fn tell_fresh(executor: &mut Executor, observer: &mut dyn Observer) {
    for finding in std::mem::take(&mut executor.outcomes.fresh) {
        observer.event(Event::Finding(&finding));
    }
    for path in std::mem::take(&mut executor.outcomes.ended) {
        observer.event(Event::Ended(&path));
    }
}

/// Computes the verdict from the results.
fn finish(executor: Executor, started: Instant) -> Outcome {
    let library = executor.program.library.clone();
    let Executor {
        outcomes,
        pool,
        queries,
        entered,
        policy,
        ..
    } = executor;
    let Outcomes {
        mut stats, tally, ..
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
        findings,
        unsupported,
        bounds,
        covers,
    } = tally.finish(stats.paths);
    let unmet = covers.iter().find(|c| !c.1);
    let verdict = if !findings.is_empty() {
        Verdict::Bug {
            unsupported,
            bounds,
        }
    } else if !unsupported.is_empty() || left_out && stats.completed == 0 {
        // Where a path was left out, it may be the one that reaches the end.
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
