//! What people and programs get to see of a run.
//!
//! `native`, `replay` (of harnesses), `replay_program` (of what has a `main`), `sanitizer` (in either), `path_replay` (of paths
//! without a finding) and `verdict` decide what is reported;
//! `test_case` leaves regression tests behind, `reproducer` programs in C, in which `failing` lets calls of the system fail; `human`, `json`
//! and `libtest` are three forms of one [`HarnessReport`]. Nothing below this layer prints.

pub mod failing;
pub mod given;
pub mod harness;
pub mod human;
pub mod json;
pub mod libtest;
mod links;
pub mod native;
pub mod panic_text;
pub mod path_replay;
pub mod place;
pub mod progress;
pub mod replay;
pub mod replay_program;
pub mod reproducer;
pub mod sanitizer;
pub mod stats;
pub mod summary;
pub mod test_case;
pub mod trace;
pub mod verdict;

use harness::Harness;
use path_replay::PathReplays;
use replay::{Replay, TypedInputs};
use symex_types::outcome::Outcome;
use test_case::Written;

/// Everything there is to say about one harness.
#[derive(Clone, Debug)]
pub struct HarnessReport {
    pub harness: Harness,
    /// With the verdict after native replay.
    pub outcome: Outcome,
    /// One for each finding of the outcome, in its order.
    pub findings: Vec<FindingReport>,
    /// What native runs of paths that end well said, if any were wanted.
    pub paths: Option<PathReplays>,
    /// Is the outcome that of an earlier run?
    pub cached: bool,
}

/// What is known about a finding beyond what the engine says.
#[derive(Clone, Debug)]
pub struct FindingReport {
    pub replay: Replay,
    pub inputs: Option<TypedInputs>,
    /// `None`: no test was wanted.
    pub test: Option<Written>,
}

impl FindingReport {
    /// A finding of which only the replay is known.
    pub fn new(replay: Replay) -> Self {
        FindingReport {
            replay,
            inputs: None,
            test: None,
        }
    }
}
