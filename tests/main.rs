//! The integration tests, as one program: what they link is large, and each program of tests would
//! link it again.
//!
//! A folder holds the tests of one subject, a file those of one part of it.
//! `cargo test -p cargo-symex --test main cache::` runs the tests of one file. What a machine may
//! lack is tested by another program, `tests/machine`.
//!
//! All tests share this process, so none changes what belongs to all of it: the current directory,
//! environment variables, the handling of signals. The trees that tests make on disk have names of
//! their own.

mod support;

mod build;
mod command;
mod engine;
mod memory;
mod repository;
mod solver;
