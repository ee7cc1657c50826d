//! Random programs over the heap: what writes them, and what runs them natively and makes them
//! ready for the engine.

pub mod batch;
pub mod generator;
