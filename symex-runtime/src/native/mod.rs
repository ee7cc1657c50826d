//! Code that runs only in a native process: replays of recorded inputs, random runs, pre-runs, and
//! descriptions of values.
//!
//! The engine never enters this folder: it starts at a harness's `entry` and intercepts the hooks.

pub(crate) mod active;
pub(crate) mod constants;
mod invent;
mod json;
pub(crate) mod library;
mod pre_runs;
mod random;
pub(crate) mod record;
pub(crate) mod run;
mod settings;
