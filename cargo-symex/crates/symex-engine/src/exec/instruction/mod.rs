//! Execution of instructions: the interpreter loop, operators on words and on terms, and block
//! coverage.

mod atomic;
mod claim;
pub mod concrete;
pub mod entered;
mod search_place;
pub(in crate::exec) mod step;
pub mod symbolic;
pub(in crate::exec) mod symbolic_step;
