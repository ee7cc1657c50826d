//! Experimental switches for benches and tests, not offered by the command: each turns off one
//! mechanism, to measure its benefit or to see how a run fares without it.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Mechanisms that are turned off. Default none.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Experiment {
    /// Encode reads from written memory for Z3 as reads from arrays with stores, instead of as
    /// comparisons with the offsets of the stores.
    pub stores_as_arrays: bool,
    /// Leave unanswered every query whose number is a multiple of this.
    pub give_up_every: Option<u64>,
    /// Copy an object as a whole at the first write after a fork, as most executors do, instead of
    /// sharing parts of it.
    pub copy_whole_objects: bool,
    /// Hash symbolic keys as they are, also where the hash is random.
    pub exact_hashes: bool,
    /// Run each path once more by its decisions, in an exploration of its own, and count those that
    /// differ as unsupported.
    pub rerun_paths: bool,
    /// Let several threads share the paths of a job from the start, however small it is.
    pub share_at_once: bool,
    /// Let every region whose number is a multiple of this go back to who gave it away.
    pub refuse_every: Option<u64>,
    /// Renew the exploration after each this number of forks, as if its memory was used up.
    pub renew_every: Option<u64>,
    /// Part merged paths at every question about them, as if each was too hard for the solver.
    pub part_always: bool,
    /// Keep what is left of an exploration each time this has passed.
    pub keep_every: Option<Duration>,
}
