//! Execution of instructions: the loop over them, on words and on terms, and which blocks were
//! entered.

pub mod concrete;
pub mod entered;
pub(in crate::exec) mod step;
pub mod symbolic;
pub(in crate::exec) mod symbolic_step;
