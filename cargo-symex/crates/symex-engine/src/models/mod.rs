//! Models: functions that the engine performs itself, because they have no bitcode (libc, the
//! unwinder, the hooks of the runtime) or because their own code is better not followed (std's
//! panic printing, its allocator).
//!
//! A model is one row of a table and one small function. Invariant: it first decides (forks,
//! checks, concretises), since a sibling forked off executes the same call again, and only then
//! changes the state. Rows are beside their functions, by library; `table` finds them. `heap` is
//! shared by all allocators, `peek` looks at memory for messages.

mod enumerate;
mod fuzzers;
mod heap;
mod libc;
pub mod library;
mod llvm;
mod long_double;
mod looked_up;
mod math;
mod math_results;
mod outside_world;
mod peek;
mod psm;
mod runtime;
mod rust;
pub mod table;
mod unwind;

pub use libc::failing::find as find_failing;
pub use libc::on_strings;
pub use looked_up::declare as declare_looked_up;
pub use rust::ENTERED;
pub use table::find;
