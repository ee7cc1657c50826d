//! The integration tests, as one program, because each separate program would link the same large
//! libraries again.
//!
//! A folder holds the tests of one subject, a file those of one part of it. `cargo test -p
//! cargo-symex --test main cache::` runs the tests of one file. Tests that need something a machine
//! may lack are in another program, `tests/machine`.
//!
//! All tests share this process, so none changes global state: the current directory, environment
//! variables, the handling of signals. The trees that tests make on disk have names of their own.

mod support;

mod build;
mod command;
mod engine;
mod memory;
mod repository;
mod solver;
