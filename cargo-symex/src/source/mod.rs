//! Source places and traces for reports: places in files, and the calls that lead to them.

pub mod place;
pub mod trace;
