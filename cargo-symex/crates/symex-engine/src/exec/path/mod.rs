//! Path handling: inputs, forks, solver queries, findings with their messages and traces,
//! minimisation, recorded paths, results over all paths.

pub mod alarm;
pub mod applications;
pub mod course;
pub mod end;
pub(in crate::exec) mod environment_list;
pub(in crate::exec) mod finding;
pub mod fork;
pub(in crate::exec) mod fresh_input;
pub mod holders;
pub mod message;
pub(in crate::exec) mod minimise;
pub mod outcomes;
pub(in crate::exec) mod profiler;
pub mod queries;
pub(in crate::exec) mod record;
pub mod siblings;
pub mod sites;
pub mod sketch;
pub mod trace;
pub mod unwinding;
