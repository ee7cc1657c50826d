//! What the command says to its users, and what it leaves behind.

mod c;
mod cache;
mod cli;
mod findings;
mod leaks;
mod robustness;
mod settings;
mod world;
