//! What an instruction does: the loop over instructions, on words and on terms.

pub mod concrete;
pub(in crate::exec) mod step;
pub mod symbolic;
pub(in crate::exec) mod symbolic_step;
