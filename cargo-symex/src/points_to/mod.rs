//! Layer 2: which objects a pointer may point to, for a whole program before it runs, and the memory segments that follow
//! from it.
//!
//! The analysis is inclusion-based (Andersen) and insensitive to fields, contexts and the order of statements; the call
//! graph grows while it runs. `generate` walks reachable code and makes constraints of it, `site` those of calls, with
//! `effect` and `library` for functions that are not looked into; `graph` solves them by waves (Pereira and Berlin, 2009);
//! `segment` groups objects. Nothing here runs code or knows how memory is laid out.

mod effect;
mod generate;
mod graph;
mod library;
mod object;
mod result;
mod scc;
mod segment;
mod set;
mod site;
#[cfg(test)]
mod tests;

pub use effect::{Effect, Place, Step};
pub use generate::{Options, usual};
pub use graph::Counts;
pub use object::{AbstractId, AbstractObject, OUTSIDE, Objects};
pub use result::{Pointees, PointsTo, Stats};
pub use segment::{SegmentId, Segments, Separation};
