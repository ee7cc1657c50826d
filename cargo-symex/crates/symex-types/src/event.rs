//! Events that the engine sends to observers while it works. Reports are observers; the engine
//! itself prints nothing.

use crate::outcome::{EndedPath, Finding, Stats};

/// An event of an exploration.
pub enum Event<'a> {
    /// Periodic progress: the statistics so far and the number of waiting states.
    Progress { stats: &'a Stats, states: usize },
    /// A finding not seen before in this run.
    Finding(&'a Finding),
    /// A path that came to its end, if paths are recorded.
    Ended(&'a EndedPath),
}

/// Receiver of events.
pub trait Observer {
    fn event(&mut self, event: Event);
}

/// Observer that ignores all events.
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _: Event) {}
}
