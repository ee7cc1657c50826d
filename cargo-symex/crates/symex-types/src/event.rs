//! All the engine ever tells the outside while it works. Reports are observers; the engine prints
//! nothing.

use crate::outcome::{EndedPath, Finding, Stats};

/// Something that happened.
pub enum Event<'a> {
    /// Some time has passed; the numbers so far and the number of states waiting.
    Progress { stats: &'a Stats, states: usize },
    /// A finding not seen before on this run.
    Finding(&'a Finding),
    /// A path that came to its end, if those are told.
    Ended(&'a EndedPath),
}

/// Receives events.
pub trait Observer {
    fn event(&mut self, event: Event);
}

/// Ignores them.
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _: Event) {}
}
