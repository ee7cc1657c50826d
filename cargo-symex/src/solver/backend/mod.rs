//! Back ends: the only files that name a solver library.
//!
//! `raw` owns Z3's objects, `encode*` and `division` turn terms into Z3's, `integer*` (with `number` and
//! `known`) turn queries into ones about integers, `rough` and `sample` deal with hashes, `z3` answers queries with
//! them all, `interrupt` stops it.

mod division;
mod encode;
mod encode_float;
mod encode_op;
mod integer;
mod integer_op;
pub mod interrupt;
mod known;
mod number;
mod raw;
mod rough;
mod sample;
pub mod z3;

pub use interrupt::InterruptHandle;
pub use z3::{BackEndStats, Z3, Z3Settings};
