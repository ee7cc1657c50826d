//! Harnesses on the boundary between C and Rust. Each is preceded by its expected result: `//
//! expect: VERDICT [kind]`. For each concern some harnesses hold for all inputs, so that both sides
//! agree about the passed values, and others have a bug.
#![cfg(test)]

mod callbacks;
mod control;
mod ending;
mod errors;
mod layout;
mod memory;
mod structs;
mod symbols;
mod unwinding;
mod variadic;
