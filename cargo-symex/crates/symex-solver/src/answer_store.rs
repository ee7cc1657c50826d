//! Answers from earlier runs, as the chain sees them: bytes by key. Where they are kept is not the
//! solver's concern.

/// Answers that outlive the run, by canonical key.
///
/// What is found does not change while a run lasts, so that it does not matter which harness is
/// explored first.
pub trait AnswerStore: Send {
    /// The value of a key, if an earlier run has put it there.
    fn get(&mut self, key: &[u8; 32]) -> Option<Vec<u8>>;

    /// Keeps a value for later runs. Of several for a key the first is kept.
    fn put(&mut self, key: &[u8; 32], value: &[u8]);
}
