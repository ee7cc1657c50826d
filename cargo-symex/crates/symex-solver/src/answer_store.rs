//! Persistent store of answers from earlier runs, as the chain sees it: bytes by key. The storage
//! itself is outside of the solver.

/// Store of answers that outlive the run, by canonical key.
///
/// Look-ups do not change while a run lasts, so the order in which harnesses are explored does not
/// matter.
pub trait AnswerStore: Send {
    /// Returns the value of a key, if an earlier run has stored it.
    fn get(&mut self, key: &[u8; 32]) -> Option<Vec<u8>>;

    /// Stores a value for later runs. Of several values for a key the first is kept.
    fn put(&mut self, key: &[u8; 32], value: &[u8]);
}
