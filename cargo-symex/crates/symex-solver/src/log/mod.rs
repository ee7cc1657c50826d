//! Logs of queries: all that a chain was asked, in order, in one file that can be asked again.
//!
//! ```text
//! queries of cargo symex, 1
//! pool
//! (let t0 in.0.0:8)
//! (let t1 (ult t0 0x20:8))
//! path 1 0 t1
//! hint t0=0x7
//! timeout 20000000
//! (let t2 (eq t0 5:8))
//! ask branch 1 t2
//! sat
//! ; small domain, 12 us
//! ```
//! What is known stays: terms are named once ([`Lines`](symex_terms::text::Lines)), and so are
//! constraints, each list of which is a `path` (its number, that of the list before it, what is
//! added; 0 is the empty one). `address` (object, address, and the object's size where it is
//! known), `hint` and `timeout` (in microseconds) tell what differs from the query before. `pool`
//! begins anew. The answer follows its question; a run that was ended leaves a question without
//! one. Lines that begin with `;` are for people: who answered, how long it took, and why there is
//! no answer.
//!
//! Terms are read by the rules of the reading program, and made in the order in which the run made
//! them. The same program gets what was written, so that caches and histories meet what they met,
//! with one exception: a term that was older than what stood in the log when it was first asked
//! about is younger on reading, and may have its operands the other way round, for which Z3 may
//! find another assignment.

mod read;
mod write;

pub use read::{LogError, LogReader, Logged, Said};
pub use write::QueryLog;

/// First line of a log, up to the version.
const TITLE: &str = "queries of cargo symex, ";
/// Version of the format.
const VERSION: u32 = 1;

#[cfg(test)]
mod tests;
