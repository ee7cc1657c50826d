//! Memory operations of the executor: pointer resolution, checks, carrying out the memory model's
//! decisions, and operations on ranges of bytes.

pub mod access;
pub(in crate::exec) mod address_decision;
pub(in crate::exec) mod blind_places;
pub mod bulk;
pub(in crate::exec) mod determine;
pub(in crate::exec) mod globals;
pub(in crate::exec) mod leaks;
pub(in crate::exec) mod mappings;
pub(in crate::exec) mod member_access;
pub(in crate::exec) mod merge;
pub(in crate::exec) mod partition;
pub(in crate::exec) mod pointer_table;
pub mod policy;
pub(in crate::exec) mod records;
pub mod require;
pub mod resolve;
pub mod symbolic_size;

pub use globals::first_own_object;
