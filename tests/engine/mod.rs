//! What the engine makes of whole programs.

mod models;
mod passes;
mod programs;
mod random_programs;
