//! What a chain did: numbers for reports and for judging stages.

use super::backend::BackEndStats;
use super::{Answer, Purpose};
use std::collections::BTreeMap;
use std::time::Duration;

/// Counts and times since the chain was made.
#[derive(Clone, Default, Debug)]
pub struct SolverStats {
    /// Queries by why they were asked.
    pub queries: BTreeMap<Purpose, u64>,
    /// Answers by stage, in the order of the chain; the back end's are in `back_end`.
    pub stages: Vec<StageStats>,
    /// What reached Z3.
    pub back_end: BackEndStats,
    /// Answers of all stages together.
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    /// Time in the chain, the back end included.
    pub time: Duration,
    /// Answers of a cache that the back end contradicted (only when caches are validated).
    pub cache_errors: u64,
}

/// What one stage did.
#[derive(Clone, Debug)]
pub struct StageStats {
    pub name: &'static str,
    /// Queries it answered.
    pub answered: u64,
    /// Queries it replaced by equivalent ones.
    pub rewritten: u64,
    /// Time in it.
    pub time: Duration,
}

impl SolverStats {
    /// Number of queries.
    pub fn total(&self) -> u64 {
        self.queries.values().sum()
    }

    pub(super) fn count(&mut self, answer: &Answer) {
        match answer {
            Answer::Sat(_) => self.sat += 1,
            Answer::Unsat => self.unsat += 1,
            Answer::Unknown(_) => self.unknown += 1,
        }
    }
}
