//! Persistent store of verdicts and solver answers, shared by all runs.
//!
//! The key of a verdict covers everything that the verdict depends on: the code and data that the
//! harness reaches (`fingerprint`), the settings, and the build of this tool (`key`, `tool`). So a
//! stored verdict is never stale: either its key is found, or the harness is explored. `verdicts`
//! decides which outcomes are kept, `answers` stores the answers to single queries, `database` is
//! the file on disk, which other processes may use at the same time. What an exploration has left
//! when it stopped is in a file of its own (`remainders`).
//!
//! Invariant: no failure of the file makes a run fail, or gives it a wrong answer. A value that
//! cannot be read counts as absent, each value carries a hash of itself and its key, and the user
//! gets at most one warning.

mod answers;
mod database;
mod failure;
mod fingerprint;
mod key;
pub mod remainders;
mod shared;
mod tool;
pub mod verdicts;

pub use answers::Answers;
pub use fingerprint::Fingerprints;
pub use key::{Keys, Reached, Scope, Subject};
pub use shared::Store;

/// A key, or a hash.
pub type Hash = [u8; 32];

/// Returns the identity of a build of this tool, the solver included.
///
/// # Errors
///
/// Fails if the executable cannot be read.
pub fn identity(executable: &std::path::Path) -> std::io::Result<Hash> {
    tool::identity(executable).map(|identity| tool::with_solver(&identity))
}
