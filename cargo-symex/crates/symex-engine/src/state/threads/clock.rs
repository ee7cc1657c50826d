//! Vector clocks: which events of other threads have happened before what a thread does now.

use super::ThreadId;
use smallvec::SmallVec;

/// A count of release operations for each thread: an event of a thread has happened before another
/// one if its count is not greater than what the other's clock has for that thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VectorClock(SmallVec<[u32; 4]>);

impl VectorClock {
    /// Returns the count of a thread.
    pub fn of(&self, thread: ThreadId) -> u32 {
        self.0.get(thread.0 as usize).copied().unwrap_or(0)
    }

    /// Counts one more for a thread.
    pub fn advance(&mut self, thread: ThreadId) {
        let at = thread.0 as usize;
        if self.0.len() <= at {
            self.0.resize(at + 1, 0);
        }
        self.0[at] += 1;
    }

    /// Adds all that has happened before by another clock.
    pub fn join(&mut self, other: &VectorClock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_joined_has_happened_before() {
        let (first, second) = (ThreadId(0), ThreadId(3));
        let (mut mine, mut theirs) = (VectorClock::default(), VectorClock::default());
        mine.advance(first);
        theirs.advance(second);
        theirs.advance(second);
        assert_eq!((mine.of(second), theirs.of(first)), (0, 0));
        mine.join(&theirs);
        assert_eq!((mine.of(first), mine.of(second)), (1, 2));
        // A shorter clock takes nothing away.
        let before = mine.clone();
        mine.join(&VectorClock::default());
        assert_eq!(mine, before);
    }
}
