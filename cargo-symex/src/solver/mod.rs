//! Layer 2: is a conjunction satisfiable, and by what? Needs `expr` only.
//!
//! Everything that answers is a [`Solver`]. The engine uses a [`Chain`]: a list of stages, each of which may answer or
//! rewrite a query, before a back end. The rest of the engine asks through [`Ask`], which also holds the one policy
//! for `Unknown`.

mod agnostic;
mod allowance;
pub mod answer_store;
pub mod ask;
pub mod backend;
pub mod chain;
pub mod log;
pub mod query;
pub mod replay;
pub mod stage;
pub mod stats;

pub use answer_store::AnswerStore;
pub use ask::{Ask, Effort, Must, Range, Values};
pub use backend::{InterruptHandle, version};
pub use chain::Chain;
pub use query::{Answer, Purpose, Query, Unknown};
pub use stats::SolverStats;

use crate::expr::Pool;

/// Something that answers queries.
pub trait Solver {
    /// Decides a query. `Sat` carries an assignment under which every constraint and the goal evaluate to true.
    fn check(&mut self, pool: &mut Pool, query: &Query) -> Answer;
}
