//! The executor: runs states.
//!
//! - `instruction`: the loop over instructions; what one does to words (`concrete`) and to terms (`symbolic`).
//! - `memory`: from pointers to bytes: resolution, checks, what the memory model decides, and its carrying out.
//! - `call`: frames, what Rust and C pass each other, models of functions, detached runs.
//! - `path`: forks, inputs, ends, findings.
//!
//! The models of functions without bitcode are handed in as a table, not named here.

pub mod call;
pub mod instruction;
pub mod memory;
pub mod path;

pub use instruction::step::Pause;

use crate::state::{State, VarArg};
use call::model::{FindModel, ModelFn};
use path::finding::Tally;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use symex_memory::model::{Births, MemoryModel, births, by_config};
use symex_memory::{Counters, Moved};
use symex_program::{Constant, FuncId, Function, GlobalId, LocId, Program};
use symex_solver::chain::Chain;
use symex_terms::{Expr, Pool, Value, Width};
use symex_types::config::Config;
use symex_types::outcome::{EndedPath, Finding, Stats};

/// What a path takes for granted that asks for the environment.
pub const EMPTY_ENVIRONMENT: &str = "the environment was taken to be empty";

/// The same for one that asks for arguments.
pub const NO_ARGUMENTS: &str = "the command line was taken to be empty";

/// Part of the mangled names of the statics where std keeps the arguments, in any version of the mangling.
const STD_ARGUMENTS: &str = "4args4unix3imp4ARG";

fn is_constructor(program: &Program, f: &Function) -> bool {
    let is_it = |id: &FuncId| std::ptr::eq(program.function(*id), f);
    program.constructors.iter().any(is_it)
}

/// What is worked out once per function and run.
#[derive(Clone)]
struct Prepared {
    constants: Rc<[Value]>,
    model: Option<ModelFn>,
    /// Index of the function's first block in the coverage map.
    first_block: u32,
}

/// Everything that the paths of one run share: the program, the terms, the solver and the tally. A handler gets it
/// beside the state it works on.
pub struct Executor<'a> {
    pub program: &'a Program,
    pub config: &'a Config,
    pub pool: Pool,
    pub solver: Chain,
    pub stats: Stats,
    pub tally: Tally,
    /// Findings not yet told to the observer.
    pub fresh: Vec<Finding>,
    /// Paths that ended as programs do, not yet told to the observer.
    pub ended: Vec<EndedPath>,
    /// States split off, for the searcher.
    pub forked: Vec<State>,
    /// A panic is wanted; with this text if not empty.
    pub expect_panic: Option<String>,
    /// Does the process end where the first function returns? Then what was registered for that is called.
    pub ends_process: bool,
    /// Is what the first function returns the exit status of a process?
    pub returns_status: bool,
    pub deadline: Option<Instant>,
    pub stop: &'a AtomicBool,
    /// Has a query gone unanswered because time was up? No state may go on then.
    pub(crate) expired: bool,
    /// Per block of the program: was it entered?
    pub covered: Vec<bool>,
    /// Was a block entered for the first time since this was last cleared?
    pub new_cover: bool,
    /// What to do with pointers to several objects.
    memory_model: Box<dyn MemoryModel + 'a>,
    /// Where objects come from, as far as the memory model asks.
    pub(crate) births: Births,
    /// Counts of all states' memory.
    pub(crate) counters: Rc<Counters>,
    /// The candidates of terms that choose between objects; they are a matter of the terms alone.
    candidates: FxHashMap<Expr, Option<Rc<[memory::resolve::Group]>>>,
    /// Pointers as offsets in segments, by what they name; a matter of the terms and offsets alone.
    offsets: FxHashMap<(Expr, memory::resolve::Members), Option<Expr>>,
    /// Which records a read may meet.
    collisions: memory::planes::CollisionCache,
    /// What moving objects together came to, over all paths.
    pub moved: Moved,
    find_model: &'a FindModel,
    prepared: Vec<Option<Prepared>>,
    first_blocks: Vec<u32>,
    next_state: u64,
    no_varargs: Rc<[VarArg]>,
    /// Is a function run beside a path? It follows the path's assignment, and nothing is asked of the solver.
    aside: bool,
    /// Places that were found to look at addresses to no effect, or not.
    blind: FxHashMap<(FuncId, LocId), bool>,
    /// Slots of frames left, for reuse.
    free_slots: Vec<Vec<Value>>,
}

impl<'a> Executor<'a> {
    /// An executor without states.
    pub fn new(
        program: &'a Program,
        config: &'a Config,
        solver: Chain,
        find_model: &'a FindModel,
        stop: &'a AtomicBool,
    ) -> Self {
        let mut first_blocks = Vec::with_capacity(program.functions.len());
        let mut blocks = 0u32;
        for f in &program.functions {
            first_blocks.push(blocks);
            blocks += f.body.as_ref().map_or(0, |b| b.blocks.len() as u32);
        }
        Executor {
            program,
            config,
            pool: Pool::new(),
            solver,
            stats: Stats::default(),
            tally: Tally::default(),
            fresh: Vec::new(),
            ended: Vec::new(),
            forked: Vec::new(),
            expect_panic: None,
            ends_process: false,
            returns_status: false,
            deadline: None,
            stop,
            expired: false,
            covered: vec![false; blocks as usize],
            new_cover: false,
            memory_model: by_config(&config.memory, program),
            births: births(&config.memory),
            counters: Rc::default(),
            candidates: FxHashMap::default(),
            offsets: FxHashMap::default(),
            collisions: memory::planes::CollisionCache::default(),
            moved: Moved::default(),
            find_model,
            prepared: vec![None; program.functions.len()],
            first_blocks,
            next_state: 1,
            no_varargs: Rc::from([]),
            aside: false,
            blind: FxHashMap::default(),
            free_slots: Vec::new(),
        }
    }

    fn prepared(&mut self, id: FuncId) -> Prepared {
        if let Some(p) = &self.prepared[id.0 as usize] {
            return p.clone();
        }
        let f = self.program.function(id);
        self.note_environment(f);
        let constants: Vec<Value> = match &f.body {
            Some(body) => body.constants.iter().map(|c| self.constant(c)).collect(),
            None => Vec::new(),
        };
        let prepared = Prepared {
            constants: constants.into(),
            model: (self.find_model)(f),
            first_block: self.first_blocks[id.0 as usize],
        };
        self.prepared[id.0 as usize] = Some(prepared.clone());
        prepared
    }

    /// A function that reads C's list of variables itself, or std's copy of the arguments, finds it empty, and the paths
    /// stand for that only.
    fn note_environment(&mut self, f: &Function) {
        let names = &self.program.global_names;
        let lists = path::environment::LISTS.map(|name| names.get(name).copied());
        let globals: Vec<_> = f
            .body
            .iter()
            .flat_map(|body| body.constants.iter())
            .filter_map(|c| match c {
                Constant::Global(g, _) => Some(*g),
                _ => None,
            })
            .collect();
        for g in &globals {
            self.note_unknown(*g);
        }
        let listed = globals.iter().any(|g| lists.contains(&Some(*g)));
        if listed && self.config.world.variables.is_empty() {
            self.tally.assume(EMPTY_ENVIRONMENT);
        }
        let is_std_arguments = |g: &GlobalId| self.program.global(*g).name.contains(STD_ARGUMENTS);
        if globals.iter().any(is_std_arguments) && !is_constructor(self.program, f) {
            self.tally.assume(NO_ARGUMENTS);
        }
    }

    fn constant(&mut self, c: &Constant) -> Value {
        match c {
            Constant::Int(v) => Value::Int(*v),
            Constant::Wide(v, w) => Value::Expr(self.pool.constant(*w, *v)),
            Constant::Global(g, offset) => match self.is_absent_global(*g) {
                true => Value::Int(*offset),
                false => Value::Ptr(memory::globals::object_of_global(*g), *offset),
            },
            Constant::Function(f) => match self.is_absent_function(*f) {
                true => Value::NULL,
                false => Value::Ptr(memory::globals::object_of_function(self.program, *f), 0),
            },
            Constant::Block(f, b) => Value::Ptr(
                memory::globals::object_of_function(self.program, *f),
                call::enter::FIRST_BLOCK_OFFSET + *b as u64,
            ),
            Constant::Undef if self.config.memory.zeroed => Value::Int(0),
            Constant::Undef => Value::Undef,
        }
    }

    /// The term of a value.
    pub fn term(&mut self, st: &State, value: Value, width: Width) -> Expr {
        self.pool
            .term(value, width, |o| st.memory.object(o).align_log2)
    }

    /// Is it time to stop?
    pub fn out_of_time(&self) -> bool {
        self.stop.load(std::sync::atomic::Ordering::Relaxed)
            || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}
