//! Source code as people are shown it: places in files, and the calls that lead to them.

pub mod place;
pub mod trace;
