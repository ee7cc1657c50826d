//! Layer 2: is a conjunction satisfiable, and by what? Needs `expr` only.
//!
//! Everything that answers is a [`Solver`]; stages are decorators around another solver, and `chain` holds the one
//! list of them. The rest of the engine asks through [`Ask`], which also holds the one policy for `Unknown`.

pub mod ask;
pub mod backend;
pub mod chain;
pub mod query;
pub mod stage;

pub use ask::Ask;
pub use query::{Answer, Purpose, Query, Unknown};

use crate::expr::Pool;

/// Something that answers queries.
pub trait Solver {
    /// Decides a query. `Sat` carries an assignment under which every constraint and the goal evaluate to true.
    fn check(&mut self, pool: &mut Pool, query: &Query) -> Answer;
}
