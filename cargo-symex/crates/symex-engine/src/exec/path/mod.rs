//! Where paths fork and end: inputs, branches, findings with their messages, smallest inputs, what is recorded.

pub mod end;
pub(in crate::exec) mod environment;
pub mod finding;
pub mod fork;
pub(in crate::exec) mod inputs;
pub mod message;
pub(in crate::exec) mod minimise;
pub(in crate::exec) mod record;
