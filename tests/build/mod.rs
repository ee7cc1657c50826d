//! Tests of the build: how crates, and the C in them, become programs for the engine.

mod c_in_a_crate;
mod cargo;
mod crates;
mod libc;
mod libraries_in_c;
