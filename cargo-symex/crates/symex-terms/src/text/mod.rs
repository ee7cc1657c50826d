//! The text form of terms: s-expressions close to SMT-LIB, for logs, tests and people.
//!
//! ```text
//! (let t0 (add x:32 7:32)) (ult (mul t0 t0) 0x100:32)
//! ```
//! A constant is `value:width`; a variable is its name, its place and its width, `x.0.3:8` for
//! element 3 of input 0, `x.u:8` or `x.u.2.16:8` for uninitialised memory; a base address is
//! `@object^align`. Terms that occur twice are bound by `let` first. Invariant: what `display`
//! prints, `parse` reads back as the same term. Where many terms are written ([`Lines`]), each is
//! bound in a line of its own, and read with those before it ([`Named`]).

mod infix;
mod parse;
mod print;

pub use infix::Infix;
pub use parse::{Named, ParseError};
pub use print::{Displayed, Lines};

#[cfg(test)]
mod tests;
