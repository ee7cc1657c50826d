//! What outlives a run: verdicts, and answers of the solver.
//!
//! A verdict is found again by a key over everything that it comes of: the code and data that the
//! harness reaches (`fingerprint`), the settings, and the build of this tool (`key`, `tool`). So a
//! stored verdict is never stale; it is there, or the harness is explored. `verdicts` says which
//! outcomes are kept, `answers` is the same for single queries, `database` is the file on disk,
//! which other processes may use at the same time.
//!
//! Invariant: nothing that happens to the file makes a run fail, or gives it a wrong answer. What
//! cannot be read is not there, each value carries a hash of itself and its key, and the user gets
//! one line at most.

mod answers;
mod database;
mod failure;
mod fingerprint;
mod key;
mod shared;
mod tool;
pub mod verdicts;

pub use answers::Answers;
pub use fingerprint::Fingerprints;
pub use key::{Keys, Reached, Scope, Subject};
pub use shared::Store;

/// A key, or a hash.
pub type Hash = [u8; 32];
