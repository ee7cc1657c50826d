//! Tests of the command's output, and of the files that it writes.

mod aliasing;
mod auto;
mod blame;
mod c;
mod cache;
mod cli;
mod coverage;
mod findings;
mod fuzz;
mod generalize;
mod kani;
mod leaks;
mod limits;
mod native_runs;
mod page;
mod pre_runs;
mod reports;
mod resume;
mod rights;
mod robustness;
mod settings;
mod vectors;
mod world;
