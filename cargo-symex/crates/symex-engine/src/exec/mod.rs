//! The executor: runs states.
//!
//! - `instruction`: the interpreter loop; operators on words (`concrete`) and terms (`symbolic`);
//!   block coverage (`entered`).
//! - `memory`: pointer resolution, checks, the memory model's decisions (`policy`), and carrying
//!   them out.
//! - `call`: frames, argument passing between Rust and C, models of functions, detached runs.
//! - `borrows`: Rust's rules of aliasing, if they are asked for.
//! - `merge`: paths that become one where the ways from a branch meet again.
//! - `threads`: which thread runs, and data races.
//! - `path`: forks (`fork`, `siblings`), solver queries (`queries`), inputs, ends, results over all
//!   paths (`outcomes`).
//! - `definitions`: functions and variables by name, with their models and constants.
//! - `hash_maps`: whether a hash map asks for a hash.
//!
//! The models of functions without bitcode are passed in as a table, not named here.

mod borrows;
pub mod call;
pub mod character_classes;
mod definitions;
mod equal_keys;
mod hash_maps;
pub mod instruction;
pub mod memory;
mod merge;
pub mod path;
pub mod threads;

pub use instruction::step::Pause;

use crate::state::State;
use borrows::Tags;
use call::frame_pool::FramePool;
use call::model::FindModel;
use character_classes::CharacterClasses;
use definitions::{Definitions, Prepared};
use hash_maps::HashMaps;
use instruction::entered::EnteredBlocks;
use memory::blind_places::BlindPlaces;
use memory::policy::Policy;
use memory::records::CollisionCache;
use memory::resolve::PointerTerms;
use merge::Joining;
use path::alarm::Alarm;
use path::applications::Applications;
use path::outcomes::Outcomes;
use path::profiler::Profiler;
use path::queries::Queries;
use path::siblings::Siblings;
use path::unwinding::Unwinding;
use std::sync::Arc;
use std::time::Duration;
use symex_memory::AddressSpace;
use symex_program::{FuncId, Program};
use symex_solver::KnownRanges;
use symex_solver::chain::Chain;
use symex_terms::{Expr, ObjectId, Pool, Value, Width};
use symex_types::config::Config;
use threads::Atomic;

/// Assumption recorded when a path asks for its environment.
pub const EMPTY_ENVIRONMENT: &str = "the environment was taken to be empty";

/// Assumption recorded when a path asks for its arguments.
pub const NO_ARGUMENTS: &str = "the command line was taken to be empty";

/// Kind of the first function of a path, which decides what its return means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryKind {
    /// A constructor: the program has not begun.
    Constructor,
    /// A harness: the process ends with it, and the functions registered for the end are called.
    Harness,
    /// `main`: the process ends with it, and its return value is the exit status.
    Main,
    /// A test of a property, like a harness: it draws its inputs from the generator of its library.
    PropertyTest,
    /// A fuzz target: it may reject its input by returning -1, and a panic ends it even if
    /// something catches it, as a hook that its library sets makes it.
    FuzzTarget,
    /// `main` of a program that asks a fuzzer for its input. Fuzzers take no exit status for a
    /// fault.
    FuzzProgram,
}

/// State shared by all paths of a run: the program, the terms, and the parts that operate on them.
/// A handler receives it next to the path state it works on.
///
/// Work that needs one part is a method of that part; the executor's own methods are those that
/// need several.
pub struct Executor<'a> {
    pub program: &'a Program,
    pub config: &'a Config,
    pub pool: Pool,
    pub queries: Queries,
    pub siblings: Siblings,
    pub outcomes: Outcomes<'a>,
    pub entered: EnteredBlocks,
    pub policy: Policy<'a>,
    /// Places where paths wait to be merged.
    pub joining: Joining,
    pub entry_kind: EntryKind,
    /// The bytes of the inputs that paths follow, in the order in which the program asks for them;
    /// empty if they follow none.
    pub given: Vec<Vec<u8>>,
    definitions: Definitions<'a>,
    frames: FramePool,
    pointer_terms: PointerTerms,
    collisions: CollisionCache,
    ranges: KnownRanges,
    blind: BlindPlaces<'a>,
    hash_maps: HashMaps,
    applications: Applications,
    /// Classes of characters that the program has asked for.
    pub character_classes: CharacterClasses,
    /// The unwinding behind panics that end paths.
    pub unwinding: Unwinding,
    tags: Tags,
    /// Atomicity of the accesses of the current instruction.
    atomic: Atomic,
}

impl<'a> Executor<'a> {
    /// Makes an executor without states.
    pub fn new(
        program: &'a Program,
        config: &'a Config,
        solver: Chain,
        find_model: &'a FindModel,
        alarm: Arc<Alarm>,
    ) -> Self {
        Executor {
            program,
            config,
            pool: Pool::new(),
            queries: Queries::new(
                solver,
                config.solver.query_timeout,
                config.limits.max_queries,
                alarm,
            ),
            siblings: Siblings::default(),
            outcomes: Outcomes::recording(program, config),
            entered: EnteredBlocks::new(program),
            policy: Policy::new(config, program),
            joining: Joining::new(config.merging, config.experiment.part_always),
            entry_kind: EntryKind::Constructor,
            given: Vec::new(),
            definitions: Definitions::new(program, config, find_model),
            frames: FramePool::default(),
            pointer_terms: PointerTerms::default(),
            collisions: CollisionCache::default(),
            ranges: KnownRanges::default(),
            blind: BlindPlaces::new(program),
            hash_maps: HashMaps::default(),
            applications: Applications::default(),
            character_classes: CharacterClasses::default(),
            unwinding: Unwinding::default(),
            tags: Tags::default(),
            atomic: Atomic::NO,
        }
    }

    /// Returns a function with its constants and its model.
    #[inline]
    fn prepared(&mut self, id: FuncId) -> &Prepared {
        let tally = &mut self.outcomes.tally;
        self.definitions.prepared(&mut self.pool, tally, id)
    }

    /// Returns the C library's variable of this name and size, if the program refers to it.
    pub fn library_variable(&self, name: &str, size: u64) -> Option<ObjectId> {
        self.definitions.library_variable(name, size)
    }

    /// Tells the profiler, if there is one, what a path does, and how long queries took in all. A
    /// function that is run detached from a path counts for where the path is.
    #[inline]
    pub fn profile(&mut self, tell: impl FnOnce(&mut Profiler, &'a Program, Duration)) {
        if let Some(profiler) = &mut self.outcomes.profiler
            && !self.queries.aside
        {
            tell(profiler, self.program, self.queries.asked);
        }
    }

    /// Returns the term of a value.
    pub fn term(&mut self, st: &State, value: Value, width: Width) -> Expr {
        term_of(&mut self.pool, &st.memory, value, width)
    }
}

/// Returns the term of a value on a path with this memory.
pub(in crate::exec) fn term_of(
    pool: &mut Pool,
    memory: &AddressSpace,
    value: Value,
    width: Width,
) -> Expr {
    pool.term(value, width, |o| memory.object(o).align_log2)
}
