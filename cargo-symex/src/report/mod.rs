//! Layer 9: what people and programs get to see of a run.
