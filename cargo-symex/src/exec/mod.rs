//! Layer 6: runs states. `step` is the loop over instructions; what an instruction does to terms is in `symbolic`, to
//! words in `concrete`; `fork` is the only place that splits a state; `resolve` and `access` lead from pointers to
//! bytes. The models of functions without bitcode are handed in as a table, not named here.

pub mod access;
mod call;
pub mod check;
pub mod concrete;
pub mod end;
pub mod finding;
pub mod fork;
mod globals;
mod minimise;
pub mod model;
pub mod resolve;
mod slow;
mod step;
pub mod symbolic;

pub use step::Pause;

use crate::config::Config;
use crate::expr::{Expr, Pool, Value, Width};
use crate::outcome::{Finding, Stats};
use crate::program::{Constant, FuncId, Program};
use crate::solver::chain::Chain;
use crate::state::State;
use finding::Tally;
use model::{FindModel, ModelFn};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

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
pub struct Machine<'a> {
    pub program: &'a Program,
    pub config: &'a Config,
    pub pool: Pool,
    pub solver: Chain,
    pub stats: Stats,
    pub tally: Tally,
    /// Findings not yet told to the observer.
    pub fresh: Vec<Finding>,
    /// States split off, for the searcher.
    pub forked: Vec<State>,
    /// A panic is wanted; with this text if not empty.
    pub expect_panic: Option<String>,
    pub deadline: Option<Instant>,
    pub stop: &'a AtomicBool,
    /// Has a query gone unanswered because time was up? No state may go on then.
    pub(crate) expired: bool,
    /// Per block of the program: was it entered?
    pub covered: Vec<bool>,
    /// Was a block entered for the first time since this was last cleared?
    pub new_cover: bool,
    find_model: &'a FindModel,
    prepared: Vec<Option<Prepared>>,
    first_blocks: Vec<u32>,
    next_state: u64,
    no_varargs: Rc<[(Value, u32)]>,
    /// Slots of frames left, for reuse.
    free_slots: Vec<Vec<Value>>,
}

impl<'a> Machine<'a> {
    /// A machine without states.
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
        Machine {
            program,
            config,
            pool: Pool::new(),
            solver,
            stats: Stats::default(),
            tally: Tally::default(),
            fresh: Vec::new(),
            forked: Vec::new(),
            expect_panic: None,
            deadline: None,
            stop,
            expired: false,
            covered: vec![false; blocks as usize],
            new_cover: false,
            find_model,
            prepared: vec![None; program.functions.len()],
            first_blocks,
            next_state: 1,
            no_varargs: Rc::from([]),
            free_slots: Vec::new(),
        }
    }

    fn prepared(&mut self, id: FuncId) -> Prepared {
        if let Some(p) = &self.prepared[id.0 as usize] {
            return p.clone();
        }
        let f = self.program.function(id);
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

    fn constant(&mut self, c: &Constant) -> Value {
        match c {
            Constant::Int(v) => Value::Int(*v),
            Constant::Wide(v, w) => Value::Expr(self.pool.constant(*w, *v)),
            Constant::Global(g, offset) => match self.is_absent_global(*g) {
                true => Value::Int(*offset),
                false => Value::Ptr(globals::object_of_global(*g), *offset),
            },
            Constant::Function(f) => match self.is_absent_function(*f) {
                true => Value::NULL,
                false => Value::Ptr(globals::object_of_function(self.program, *f), 0),
            },
            Constant::Block(f, b) => Value::Ptr(
                globals::object_of_function(self.program, *f),
                call::FIRST_BLOCK_OFFSET + *b as u64,
            ),
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
