//! Known offsets of a path in objects that are accessed in parts [RAM 2.4].

use symex_terms::{Expr, ObjectId};

/// Number of ranges kept for a path.
const KEPT: usize = 32;

/// Part accesses of a path.
#[derive(Clone, Default)]
pub struct PartAccesses {
    /// Objects that were accessed in parts, ascending.
    pub objects: Vec<ObjectId>,
    /// Answers of the solver about offsets, newest last. The path condition implies them, so they
    /// need not be asked again.
    pub ranges: Vec<PartRange>,
}

/// Range of parts in which an offset may lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartRange {
    /// Offset, size of parts as a power of two, and last part that was considered.
    pub key: (Expr, u32, u64),
    /// First and last part.
    pub range: (u64, u64),
}

impl PartAccesses {
    /// Makes these the accesses of a path in place of two: the objects of both, and the answers
    /// that both have.
    pub fn join(&mut self, other: &PartAccesses) {
        self.objects.extend(&other.objects);
        self.objects.sort_unstable();
        self.objects.dedup();
        self.ranges.retain(|range| other.ranges.contains(range));
    }

    /// Remembers an answer.
    pub fn remember(&mut self, range: PartRange) {
        if self.ranges.len() == KEPT {
            self.ranges.remove(0);
        }
        self.ranges.push(range);
    }
}
