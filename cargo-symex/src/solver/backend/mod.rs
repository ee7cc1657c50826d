//! Back ends: the only files that name a solver library.
//!
//! `raw` owns Z3's objects, `encode*` turn terms into Z3's, `z3` answers queries with them, `interrupt` stops it.

mod encode;
mod encode_float;
mod encode_op;
pub mod interrupt;
mod raw;
pub mod z3;

pub use interrupt::InterruptHandle;
pub use z3::{BackEndStats, Z3, Z3Settings};
