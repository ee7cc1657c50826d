//! Symbolic memory: objects, their addresses, their bytes, and the memory models of the literature.
//!
//! **What it is.** A pointer keeps its object: `base(object) + offset` [RAM 2.2]. The treatment of
//! a pointer that may refer to several objects is decided by a policy in [`model`] (one file a
//! memory model) and carried out by the executor. The representation of an object's bytes is
//! private to `contents` (writes at known offsets), `view` (arrays for symbolic offsets) and
//! `records` (writes in the order in which they were made).
//!
//! **What it needs.** Terms, source locations of the program, the segments of the points-to
//! analysis. It sees no state, no solver and no executor.
//!
//! **What it promises.** An [`AddressSpace`] is cheap to fork, and a read gives the value last
//! written under every assignment. Memory that was never written stays undefined.

pub mod address_space;
mod by_address;
mod contents;
pub mod counters;
pub mod footprint;
mod layout;
mod merge;
pub mod model;
pub mod object;
mod object_table;
mod offset;
mod persistent;
mod placement;
pub mod pointer_tags;
mod radix;
mod reader;
mod records;
mod regions;
pub mod relocation;
mod segment;
mod symbolic_length_write;
mod symbolic_offset;
mod view;
mod writer;

pub use address_space::AddressSpace;
pub use counters::Counters;
pub use footprint::Footprint;
pub use merge::{Difference, Differences};
pub use object::{Allocator, Initial, Length, NewObject, Object, ObjectKind};
pub use offset::{Checked, Within};
pub use pointer_tags::Tag;
pub use records::{AccessSite, Pointer, Reading, Representation};
pub use relocation::{Relocated, Relocation, To};
pub use segment::{Moved, SegmentId};
pub use symbolic_length_write::Covered;
pub use symbolic_offset::SymbolicLoad;

#[cfg(test)]
mod tests;
