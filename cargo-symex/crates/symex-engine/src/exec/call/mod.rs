//! Calls: entering functions, what Rust and C pass each other, models, jumps out of calls, detached
//! runs.

pub(in crate::exec) mod detached;
pub(in crate::exec) mod enter;
pub(in crate::exec) mod frame_pool;
pub mod model;
pub(in crate::exec) mod setjmp;
pub(in crate::exec) mod signature;
