//! The engine of `cargo symex`.
pub mod cli;
