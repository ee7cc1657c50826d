//! Random programs over the heap: their generator, and the code that runs them natively and
//! prepares them for the engine.

pub mod batch;
pub mod generator;
