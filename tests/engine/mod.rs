//! Tests of the engine on whole programs.

mod given_inputs;
mod merging;
mod models;
mod overlaps;
mod parts;
mod passes;
mod programs;
mod random_programs;
mod random_undefined;
mod resuming;
mod sharing;
