//! Knowledge of a path about objects that are accessed in parts [RAM 2.4].

use symex_terms::{Expr, ObjectId};

/// Ranges kept for a path.
const KEPT: usize = 32;

/// The parts of a path.
#[derive(Clone, Default)]
pub struct Parts {
    /// Objects that were accessed in parts, ascending.
    pub objects: Vec<ObjectId>,
    /// Answers of the solver about offsets, newest last. Implied by the condition, so that it need
    /// not be asked again.
    pub ranges: Vec<PartRange>,
}

/// The parts that an offset may lie in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartRange {
    /// The offset, the size of parts as a power of two, and the last part that was asked about.
    pub key: (Expr, u32, u64),
    /// First and last.
    pub range: (u64, u64),
}

impl Parts {
    /// Keeps what was found out.
    pub fn remember(&mut self, range: PartRange) {
        if self.ranges.len() == KEPT {
            self.ranges.remove(0);
        }
        self.ranges.push(range);
    }
}
