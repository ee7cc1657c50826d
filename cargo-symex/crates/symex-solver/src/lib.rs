//! Decides satisfiability of conjunctions of terms and finds satisfying assignments, by a chain of
//! stages in front of Z3.
//!
//! **What it is.** Everything that answers queries is a [`Solver`]. The engine uses a [`Chain`]: a
//! list of stages (`stage`), each of which may answer or rewrite a query, before a back end
//! (`backend`, Z3). Callers ask through [`Ask`], which also holds the one policy for `Unknown`.
//! [`log`] records queries, [`log_replay`] asks recorded ones again.
//!
//! **What it needs.** `symex-terms`, and `symex-types` for settings and statistics. Z3 is named in
//! `backend` alone.
//!
//! **What it promises.** `Sat` comes with an assignment that satisfies the query, `Unsat` is a
//! proof by some stage, and anything else is `Unknown` with the reason.

mod address_agnostic;
pub mod answer_store;
pub mod ask;
pub mod backend;
mod budget;
pub mod chain;
pub mod chain_stats;
mod ledger;
pub mod leftovers;
pub mod log;
pub mod log_replay;
pub mod query;
pub mod ranges;
pub mod stage;

pub use answer_store::AnswerStore;
pub use ask::{Ask, QueryBudget};
pub use backend::{InterruptHandle, version};
pub use chain::Chain;
pub use chain_stats::SolverStats;
pub use query::{Purpose, Query};
pub use ranges::KnownRanges;
pub use symex_terms::{Answer, Unknown};

use symex_terms::Pool;

/// Solver of queries: a chain or a back end.
pub trait Solver {
    /// Decides a query. `Sat` carries an assignment under which every constraint and the goal
    /// evaluate to true.
    fn check(&mut self, pool: &mut Pool, query: &Query) -> Answer;
}
