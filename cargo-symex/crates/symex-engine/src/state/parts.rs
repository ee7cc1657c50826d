//! Known offsets of a path in objects that are accessed in parts [RAM 2.4].

use symex_terms::{Expr, ObjectId};

/// Number of ranges kept for a path.
const KEPT: usize = 32;
/// Number of offsets by which objects were split that are kept for a path.
const KEPT_SPLITS: usize = 64;

/// Part accesses of a path.
#[derive(Clone, Default)]
pub struct PartAccesses {
    /// Objects that were accessed in parts, ascending.
    pub objects: Vec<ObjectId>,
    /// Answers of the solver about offsets, newest last. The path condition implies them, so they
    /// need not be asked again.
    pub ranges: Vec<PartRange>,
    /// Objects that were split into paths, each with an offset by which.
    splits: Vec<(ObjectId, Expr)>,
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
    /// Returns the number of offsets by which the path split an object before this one. It is 0 for
    /// an offset by which it did: a path that was forked off repeats the access in its own part.
    pub fn splits_before(&self, object: ObjectId, offset: Expr) -> usize {
        match self.is_new_split(object, offset) {
            true => self.splits.iter().filter(|known| known.0 == object).count(),
            false => 0,
        }
    }

    /// Reports whether the path has not split the object by this offset yet.
    pub fn is_new_split(&self, object: ObjectId, offset: Expr) -> bool {
        !self.splits.contains(&(object, offset))
    }

    /// Remembers an offset by which the path splits an object.
    pub fn note_split(&mut self, object: ObjectId, offset: Expr) {
        if self.splits.len() == KEPT_SPLITS {
            self.splits.remove(0);
        }
        self.splits.push((object, offset));
    }

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
