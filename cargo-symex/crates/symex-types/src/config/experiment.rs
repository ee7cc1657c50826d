//! Switches of benches and tests, which the command does not have: each turns one mechanism off, to
//! measure what it is worth or to see what becomes of a run without it.

use serde::{Deserialize, Serialize};

/// Mechanisms that are turned off. By default none is.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Experiment {
    /// Tell Z3 of reads from memory that was stored to as reads from arrays with stores, instead of
    /// as comparisons with the places of the stores.
    pub stores_as_arrays: bool,
    /// Leave every question whose number this divides unanswered.
    pub give_up_every: Option<u64>,
    /// Copy an object as a whole at the first write after a fork, as most executors do, instead of
    /// sharing parts of it.
    pub copy_whole_objects: bool,
}
