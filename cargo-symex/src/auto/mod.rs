//! Harnesses for the functions of a crate that has none.
//!
//! `rustdoc` reads which functions and types a crate has for its users into an `api`. For each
//! function, `draft` writes a harness: `inputs` and `construct` make its arguments, `choose` finds
//! types for its parameters, `call` calls it. `package` puts the harnesses into a package of their
//! own, where the compiler decides which of them stay. `judge` tells which findings are against the
//! documentation of a function.

pub mod api;
mod call;
mod choose;
mod construct;
pub mod draft;
mod inputs;
pub mod judge;
pub mod package;
pub mod rustdoc;
mod spell;
pub mod types;
