//! Programs whose references break the rules of aliasing, each with a twin that keeps them. Each
//! harness is preceded by its expected result under `--aliasing tree`.
#![cfg(test)]

mod arguments;
mod cells;
mod integers;
mod memory;
mod owners;
mod references;
mod slices;
