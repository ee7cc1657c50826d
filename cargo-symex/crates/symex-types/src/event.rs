//! Events that the engine sends to observers while it works. Reports are observers; the engine
//! itself prints nothing.

use crate::outcome::tree::Tree;
use crate::outcome::{EndedPath, Finding};

/// An event of an exploration.
pub enum Event<'a> {
    /// What was done so far, by all threads and with the runs before: told from time to time.
    Progress {
        paths: u64,
        /// The shape of the tree of paths, as far as one thread has explored it.
        tree: &'a Tree,
        /// Number of waiting states.
        states: usize,
        seconds: f64,
    },
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
