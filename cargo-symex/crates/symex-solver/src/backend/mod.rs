//! Back ends: the only files that name a solver library.
//!
//! `raw` owns Z3's objects, `encode*` and `division` turn terms into Z3's, `incremental` keeps
//! constraints asserted, `integer*` (with `number` and `known`) turn queries into ones about
//! integers, `z3` answers queries with them all, `interrupt` stops it, `checking` gives a check up.
//! `cegar`, a stage of the chain, deals with hashes (with `rough` and `sample`).

pub mod cegar;
mod checking;
mod division;
mod encode;
mod encode_array;
mod encode_float;
mod encode_op;
mod incremental;
mod integer;
mod integer_op;
pub mod interrupt;
mod known;
mod number;
mod product;
mod raw;
pub mod rough;
mod sample;
pub mod z3;

use super::{Answer, Query, Solver};
use std::time::{Duration, Instant};
use symex_terms::Pool;

pub use cegar::Cegar;
pub use interrupt::InterruptHandle;
pub use z3::{BackEndStats, Z3, Z3Settings};

/// The solver behind all stages, which gets the queries that no stage answers. An alternative is
/// another file here, and a choice in [`Chain`](super::Chain).
///
/// It is made with an [`InterruptHandle`] that ends its queries, keeps to the time limits that it
/// is given, and answers every query: with an assignment that it has checked, `Unsat`, or
/// `Unknown`.
pub trait BackEnd: Solver + Send {
    /// Returns its name in the statistics.
    fn name(&self) -> &'static str;

    /// Tries to answer a query with little work; `None` if that does not suffice.
    fn glance(&mut self, pool: &mut Pool, query: &Query) -> Option<Answer>;

    /// Decides a query like [`Solver::check`], after a glance at it.
    fn check_on(&mut self, pool: &mut Pool, query: &Query) -> Answer;

    /// Returns counts and times so far.
    fn stats(&self) -> &BackEndStats;

    /// Sets whether the statistics count work from now on.
    fn count_work(&mut self, on: bool);

    /// Sets the time at which queries end even if their timeout is later.
    fn set_deadline(&mut self, deadline: Option<Instant>);

    /// Sets the timeout of each later query.
    fn set_timeout(&mut self, timeout: Duration);
}

/// Returns the version of the library that is loaded.
pub fn version() -> String {
    ::z3::full_version().to_string()
}

#[cfg(all(test, feature = "z3-from-source"))]
mod tests {
    /// The loaded library is the one built: which one is linked depends on the order in which the
    /// linker searches directories.
    #[test]
    fn the_library_is_the_one_that_was_built() {
        let version = super::version();
        if let Some(built) = symex_z3::VERSION {
            assert!(version.contains(built), "{version} is not {built}");
        }
    }
}
