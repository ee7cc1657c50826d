//! Back ends: the only files that name a solver library.
//!
//! `raw` owns Z3's objects, `encode*` and `division` turn terms into Z3's, `incremental` keeps
//! constraints asserted, `integer*` (with `number` and `known`) turn queries into ones about
//! integers, `z3` answers queries with them all, `interrupt` stops it. `cegar`, a stage of the
//! chain, deals with hashes (with `rough` and `sample`).

pub mod cegar;
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
mod raw;
pub mod rough;
mod sample;
pub mod z3;

use super::Solver;
use std::time::{Duration, Instant};

pub use cegar::Cegar;
pub use interrupt::InterruptHandle;
pub use z3::{BackEndStats, Z3, Z3Settings};

/// Answers what no stage does. Another one is another file here, and a choice in
/// [`Chain`](super::Chain).
///
/// It is made with an [`InterruptHandle`] that ends its queries, keeps to the times that it is
/// given, and answers every query: with an assignment that it has tried, or that it does not know.
pub trait BackEnd: Solver + Send {
    /// Its row of the statistics.
    fn name(&self) -> &'static str;

    /// Counts and times so far.
    fn stats(&self) -> &BackEndStats;

    /// From now on its statistics tell the work that it does.
    fn count_work(&mut self);

    /// The time at which queries end even if they would have more.
    fn set_deadline(&mut self, deadline: Option<Instant>);

    /// The time for one query from now on.
    fn set_timeout(&mut self, timeout: Duration);
}

/// The version of the library that is loaded.
pub fn version() -> String {
    ::z3::full_version().to_string()
}

#[cfg(all(test, feature = "z3-from-source"))]
mod tests {
    /// What is linked depends on the order in which the linker looks in folders.
    #[test]
    fn the_library_is_the_one_that_was_built() {
        let version = super::version();
        if let Some(built) = symex_z3::VERSION {
            assert!(version.contains(built), "{version} is not {built}");
        }
    }
}
