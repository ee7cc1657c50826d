//! Everything that runs only in a native process: replaying recorded inputs, random runs, writing
//! values down.
//!
//! The engine never enters this folder: it starts at a harness's `entry` and intercepts the hooks.

pub(crate) mod active;
mod json;
mod random;
pub(crate) mod record;
pub(crate) mod run;
mod settings;
