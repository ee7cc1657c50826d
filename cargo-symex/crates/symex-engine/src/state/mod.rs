//! State of one path: its frames, memory, path condition, inputs and output. Cheap to fork, and
//! without handles to solver, pool or settings.
//!
//! Invariant: `assignment` satisfies `condition` under the memory's addresses; so the side of a
//! branch that it takes is feasible without a query.

pub mod attempts;
pub mod borrows;
pub mod decisions;
pub mod environment;
pub mod file_system;
pub mod frame;
pub mod fuzz_input;
pub mod getopt;
pub mod guards;
pub mod hashes;
pub mod inputs;
pub mod joins;
pub mod jumps;
mod kept_slots;
pub mod output;
pub mod parts;
pub mod pointers;
pub mod property;
pub mod readiness;
pub mod streams;
pub mod threads;
pub mod trail;

pub use borrows::Borrows;
pub use decisions::Decisions;
pub use environment::Environment;
pub use file_system::Files;
pub use frame::{Frame, Stack, VarArg};
pub use guards::{Guard, Guards};
pub use hashes::Hashes;
pub use inputs::{SymbolicInput, SymbolicInputs};
pub use joins::{Branch, JoinId, Joins};
pub use jumps::{JumpTarget, Jumps};
pub use parts::{PartAccesses, PartRange};
pub use pointers::Pointers;
pub use threads::Threads;
pub use trail::Trail;

use fuzz_input::FuzzInput;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use symex_memory::AddressSpace;
use symex_program::{FuncId, LocId};
use symex_terms::{Assignment, Expr, ObjectId, PathCondition, Value};

/// Number of a state, unique within a run and ascending in order of creation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StateId(pub u64);

/// A panic that did not end the path by itself.
#[derive(Clone, Debug)]
pub struct Panic {
    /// Where it began.
    pub at: LocId,
    pub thread: threads::ThreadId,
    /// Message, as far as known.
    pub text: Option<Rc<str>>,
}

/// One path, stopped between two instructions.
#[derive(Clone)]
pub struct State {
    pub id: StateId,
    pub stack: Stack,
    pub memory: AddressSpace,
    pub condition: PathCondition,
    /// Condition with which this path began, if its feasibility is not known yet: such a path waits
    /// until the query has been given more time. Not in `condition`.
    pub unverified: Option<Expr>,
    /// The edge of the innermost frame by which this path came to where it waits to be run first.
    pub untaken: Option<u32>,
    pub assignment: Assignment,
    /// Answers of the solver and forks that led here, if they are recorded.
    pub decisions: Decisions,
    pub trail: Trail,
    /// Inputs in the order in which they were drawn.
    pub inputs: SymbolicInputs,
    /// Exception in flight between a throw and its landing pad: pointer and selector.
    pub exception: Option<(Value, Value)>,
    /// The thread on which a panic is on its way to the end of the path, past destructors.
    pub unwinds: Option<threads::ThreadId>,
    /// The two latest panics that did not end the path by themselves; the last one second.
    pub panics: [Option<Panic>; 2],
    /// A panic that has begun on its way to something that catches it, until the standard library
    /// hears of it.
    pub raised: Option<Panic>,
    /// Number of instructions executed by this path.
    pub steps: u64,
    /// Whether a decision depended on the numeric value of an address.
    pub address_dependent: bool,
    /// Known offsets in objects that are accessed in parts.
    pub parts: Rc<PartAccesses>,
    /// Decisions of this path about addresses alone, if both sides of such decisions are followed.
    pub placed: Rc<Vec<Expr>>,
    pub pointers: Pointers,
    /// Keys that the path has hashed.
    pub hashes: Hashes,
    /// Numbers of the functions' applications of which the path has results, in order.
    pub applied: Rc<Vec<u32>>,
    /// What the path has taken for granted about the world outside, in order.
    pub assumptions: Rc<Vec<Arc<str>>>,
    /// Name of the check that is about to fail.
    pub check: Option<Arc<str>>,
    /// Return value of the first function, if that is the status of a process, or if it runs
    /// detached from a path.
    pub status: Option<Value>,
    /// State of the modelled outside world.
    pub world: Rc<WorldState>,
    /// References, if the rules of aliasing are checked.
    pub borrows: Option<Box<Borrows>>,
    /// Places where the path may be merged with others.
    pub joins: Joins,
    /// Conditions by which it can be parted, if it stands for several paths.
    pub guards: Guards,
    /// Set if the path has entered code that none had before: whether a path that shares this has
    /// been recorded since.
    pub new_cover: Option<Rc<Cell<bool>>>,
    /// The threads, if there is more than one.
    pub threads: Option<Box<Threads>>,
}

/// Calls on the way to each allocation.
pub type Allocations = std::collections::BTreeMap<ObjectId, Rc<[(FuncId, LocId)]>>;

/// State of the modelled outside world.
#[derive(Clone, Default, Debug)]
pub struct WorldState {
    /// Object that holds the running thread's `errno`, once used.
    pub errno: Option<ObjectId>,
    /// The running thread's control block, once used.
    pub thread: Option<ObjectId>,
    /// Nanoseconds that the clocks have advanced.
    pub clock: u64,
    /// The running thread's values of `pthread_key_create` keys.
    pub thread_keys: Vec<Value>,
    /// Functions that the end of the running thread calls with an argument, the last one first.
    pub thread_destructors: Vec<(Value, Value)>,
    /// Functions that the end of a thread calls with its values of keys, by key.
    pub key_destructors: Vec<Value>,
    pub environment: Environment,
    /// Files of the path, including its output.
    pub files: Rc<Files>,
    pub options: Rc<getopt::GetoptState>,
    /// Handlers of signals: the default (0), none (1), or a function to call.
    pub handlers: std::collections::BTreeMap<u32, Value>,
    /// Depths of the calls that wait for a handler to return.
    pub delivering: Vec<u32>,
    /// Calls that `exit` makes first, last one first: functions, and an argument for those that
    /// take one.
    pub at_exit: Vec<(Value, Option<Value>)>,
    pub jumps: Jumps,
    pub attempts: Rc<attempts::Attempts>,
    /// Allocated objects with the calls on the way to the allocation: function and location,
    /// innermost first. Only kept if leaks are asked for.
    pub allocations: Rc<Allocations>,
    /// The input of a program that asks a fuzzer for it.
    pub fuzz_input: Option<FuzzInput>,
    /// Whether the program's hook for panics aborts.
    pub hook_aborts: bool,
    /// Whether the program asks how much is left of its stack, and continues on others.
    pub extends_stack: bool,
    /// Functions that are called in place of others, by those.
    pub stubs: std::collections::BTreeMap<FuncId, Stub>,
    /// Case of a property that the path runs.
    pub property: property::PropertyCase,
    /// Counters that models use (file numbers and the like), by name.
    pub counters: std::collections::BTreeMap<&'static str, u64>,
}

/// A function that takes the place of another.
#[derive(Clone, Debug)]
pub struct Stub {
    pub function: FuncId,
    /// Path of the function, as it is written.
    pub written: Arc<str>,
    /// Path of the other function, as it is written.
    pub replaced: Arc<str>,
    /// Whether it was called.
    pub is_called: bool,
}

impl State {
    /// Records something that the path takes for granted.
    pub fn take_for_granted(&mut self, what: &str) {
        if !self.assumptions.iter().any(|known| **known == *what) {
            Rc::make_mut(&mut self.assumptions).push(what.into());
        }
    }

    /// Returns the innermost frame.
    #[inline(always)]
    pub fn frame(&mut self) -> &mut Frame {
        &mut self.stack.top
    }
}
