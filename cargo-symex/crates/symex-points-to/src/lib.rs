//! Points-to analysis of a whole program before it runs, and the memory segments that follow from
//! it.
//!
//! **What it is.** An inclusion-based (Andersen) analysis, insensitive to fields, contexts and the
//! order of statements; the call graph grows while it runs. `generate` walks reachable code and
//! makes constraints of it, `site` those of calls, with `effect` and `library` for functions that
//! are not analysed; `graph` solves them by waves (Pereira and Berlin, 2009); `segment` groups
//! objects [SMM 3].
//!
//! **What it needs.** `symex-program`. Nothing here runs code or knows how memory is laid out.
//!
//! **What it promises.** The sets are supersets of what happens on any path whose library functions
//! behave as their effects say.

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

pub use effect::{Effect, EffectPlace, EffectStep};
pub use generate::{AnalysisOptions, usual};
pub use graph::Counts;
pub use object::{AbstractId, AbstractObject, OUTSIDE, Objects};
pub use result::{AnalysisStats, Pointees, PointsTo};
pub use segment::{Separation, StaticSegmentId, StaticSegments};
