//! Entry point of the engine: connects settings to searcher, solver chain, memory and models, and
//! explores one harness. It is the one place that chooses implementations.

mod crew;
mod follow;
mod forest;
mod given_inputs;
mod initial_world;
mod overseer;
mod parts;
mod recurrence;
mod region;
mod remainder;
mod rerun;
mod results;
mod search;
mod session;
mod turns;

use crate::exec::path::alarm::Alarm;
use crate::exec::path::end::PathEnd;
use crate::exec::path::holders::Holder;
pub use crate::exec::path::holders::RunMemory;
pub use crate::exec::path::outcomes::ExpectedPanic;
use crate::exec::{EntryKind, Executor, Pause};
use crate::state::{Frame, Stack, State};
pub use crew::{Cores, Seat};
pub use follow::{FollowedEnd, FollowedPath, follow_path};
use given_inputs::Foresight;
pub use given_inputs::{GivenInputs, InputSource};
pub use parts::{Found, Part, Regions, Sum, explore_regions};
pub use remainder::{Keeper, Remainder};
use search::Search;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use symex_program::{FuncId, Program};
use symex_solver::AnswerStore;
use symex_terms::Value;
use symex_types::config::Config;
use symex_types::event::Observer;
use symex_types::outcome::decision_tree::ForkKind;
use symex_types::outcome::{Bound, Outcome, Unsupported};

/// A harness to explore, with the settings.
#[derive(Clone)]
pub struct Job {
    pub program: Arc<Program>,
    /// Function to call.
    pub entry: Entry,
    pub config: Config,
    /// The panics that are expected to leave the entry, if any are.
    pub should_panic: Option<ExpectedPanic>,
    /// Flag set from outside to stop soon, keeping the results.
    pub stop: Arc<AtomicBool>,
    /// Cores that may explore the job beside the one that begins.
    pub cores: Arc<Cores>,
    /// What all that explores the job holds of the memory.
    pub memory: Arc<RunMemory>,
}

impl Job {
    /// Makes the job of one thread, of which no panic is expected, and which nobody stops.
    pub fn new(program: Arc<Program>, entry: Entry, config: Config) -> Self {
        Job {
            program,
            entry,
            config,
            should_panic: None,
            stop: Arc::default(),
            cores: Arc::default(),
            memory: Arc::default(),
        }
    }

    /// Makes the alarm of one more that explores the job, which rings at this time at the latest.
    fn alarm(&self, deadline: Option<Instant>) -> Arc<Alarm> {
        let alarm = Alarm::new(self.stop.clone(), deadline, self.config.limits.max_memory);
        Arc::new(alarm.with_holder(Holder::new(self.memory.clone())))
    }
}

/// Function to start with, and its arguments.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Entry {
    /// A function without arguments: `fn()`.
    Harness(FuncId),
    /// A test, `fn()`, that draws its inputs by a library for tests of properties.
    PropertyTest(FuncId),
    /// C's `main(argc, argv, envp)` with these arguments (program name first), and after them the
    /// symbolic ones of the settings.
    Main(FuncId, Vec<String>),
    /// A fuzz target: C's `int f(const uint8_t *, size_t)`, called with all inputs up to the length
    /// of the settings.
    FuzzTarget(FuzzTarget),
    /// A program with C's `main(argc, argv)` that asks a fuzzer, AFL or honggfuzz, for its input:
    /// all up to the length of the settings.
    FuzzProgram(FuncId),
}

impl Entry {
    /// Reports whether its input is there when it starts, and is not asked for on the way.
    fn starts_with_input(&self) -> bool {
        matches!(self, Entry::FuzzTarget(_) | Entry::FuzzProgram(_))
    }

    /// Returns the functions that are called.
    pub fn functions(&self) -> Vec<FuncId> {
        match self {
            Entry::Harness(function)
            | Entry::PropertyTest(function)
            | Entry::Main(function, _)
            | Entry::FuzzProgram(function) => vec![*function],
            Entry::FuzzTarget(target) => {
                let first = target.initialise.into_iter();
                first.chain([target.function]).collect()
            }
        }
    }
}

/// A function that fuzzers call with bytes, as libFuzzer defines it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FuzzTarget {
    /// Function to call once before, if there is one.
    pub initialise: Option<FuncId>,
    pub function: FuncId,
}

/// What an exploration can do without, and is quicker with.
#[derive(Default)]
pub struct Aids {
    /// Answers of earlier runs.
    pub answers: Option<Box<dyn AnswerStore>>,
    /// Inputs that are worth following before the exploration comes to them.
    pub inputs: Option<Box<dyn InputSource>>,
    /// Gets what is left when the exploration stops, and now and then while it goes on.
    pub keeper: Option<Box<dyn Keeper>>,
    /// What an earlier exploration has left. The limits are those of this one alone.
    pub remainder: Option<Remainder>,
}

/// Explores all paths of a job within its limits.
pub fn explore(job: &Job, observer: &mut dyn Observer) -> Outcome {
    explore_with(job, Aids::default(), observer)
}

/// Explores as [`explore`] does, with aids.
pub fn explore_with(job: &Job, aids: Aids, observer: &mut dyn Observer) -> Outcome {
    overseer::release_memory(job.config.limits.max_memory);
    let started = Instant::now();
    let mut search = Search::new(job, aids.answers, aids.keeper, aids.remainder, started);
    let mut foresight = Foresight::new(job, aids.inputs);
    if turns::is_worth_it(&job.config) {
        return turns::take_turns(search, foresight, observer);
    }
    search.run(&mut foresight, None, observer);
    search.conclude(observer)
}

/// Returns the initial states, after the program's own constructors have run: one for each number
/// of arguments.
fn start(executor: &mut Executor, job: &Job) -> Result<Vec<State>, Box<(State, PathEnd)>> {
    let entry = match &job.entry {
        Entry::Harness(f) | Entry::PropertyTest(f) | Entry::Main(f, _) | Entry::FuzzProgram(f) => {
            *f
        }
        Entry::FuzzTarget(target) => target.function,
    };
    executor.entry_kind = EntryKind::Constructor;
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
    let before = match &job.entry {
        Entry::FuzzTarget(target) => target.initialise,
        _ => None,
    };
    for constructor in program.constructors.iter().chain(&before) {
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
    let given = match &job.entry {
        Entry::Main(_, given) => given,
        Entry::Harness(_) => {
            executor.entry_kind = EntryKind::Harness;
            enter(executor.program, &mut state, entry, &[]);
            return Ok(vec![state]);
        }
        Entry::PropertyTest(_) => {
            executor.entry_kind = EntryKind::PropertyTest;
            enter(executor.program, &mut state, entry, &[]);
            return Ok(vec![state]);
        }
        Entry::FuzzTarget(_) => {
            executor.entry_kind = EntryKind::FuzzTarget;
            let args = initial_world::fuzz_input(executor, &mut state);
            enter(executor.program, &mut state, entry, &args);
            return Ok(vec![state]);
        }
        Entry::FuzzProgram(_) => {
            executor.entry_kind = EntryKind::FuzzProgram;
            initial_world::offer_fuzz_input(executor, &mut state);
            let name = ["target".to_owned()];
            let args = initial_world::main_arguments(executor, &mut state, entry, &name, &[]);
            enter(executor.program, &mut state, entry, &args);
            return Ok(vec![state]);
        }
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
        let copy = executor.clone_state(&state, ForkKind::Value);
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
