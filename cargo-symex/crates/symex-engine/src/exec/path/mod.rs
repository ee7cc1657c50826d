//! Where paths fork and end: inputs, branches, questions to the solver, findings with their
//! messages and traces, smallest inputs, what is recorded, what all paths add up to.

pub mod end;
pub(in crate::exec) mod environment_list;
pub(in crate::exec) mod finding;
pub mod fork;
pub(in crate::exec) mod fresh_input;
pub mod message;
pub(in crate::exec) mod minimise;
pub mod outcomes;
pub mod queries;
pub(in crate::exec) mod record;
pub mod siblings;
pub mod trace;
