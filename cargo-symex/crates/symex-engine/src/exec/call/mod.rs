//! Calls: entering functions, argument passing between Rust and C, models, non-local jumps,
//! detached runs.

pub(in crate::exec) mod detached;
pub(in crate::exec) mod enter;
pub(in crate::exec) mod frame_pool;
pub mod model;
pub(in crate::exec) mod setjmp;
pub(in crate::exec) mod signature;
