//! The engine of `cargo symex`. Layers, lowest first; a layer uses only lower ones:
//! config, outcome → expr, program → solver, bitcode → memory → state → search → exec → models → engine → build, report → cli.
pub mod bitcode;
pub mod build;
pub mod cli;
pub mod config;
pub mod engine;
pub mod event;
pub mod exec;
pub mod expr;
pub mod memory;
pub mod models;
pub mod outcome;
pub mod program;
pub mod report;
pub mod search;
pub mod solver;
pub mod state;
