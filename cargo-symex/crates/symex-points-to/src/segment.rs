//! Memory segments [SMM 2.2]: the finest partition of the objects such that every pointer through
//! which memory is accessed points into one segment only.
//!
//! Sets of values that are never used as an address do not count. Constants and locals are left out
//! on request, each abstract object in a segment of its own: an access may then reach several
//! segments, as it may where the analysis was told too little. Functions are no memory and have no
//! segment.

use super::object::{AbstractId, AbstractObject, OUTSIDE};
use super::result::PointsTo;
use symex_program::{FuncId, GlobalId};

/// Number of a segment, from 0, in the order of its first object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct StaticSegmentId(pub u32);

/// Kinds of objects that get segments of their own, whatever points there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Separation {
    pub constants: bool,
    pub locals: bool,
}

impl Default for Separation {
    /// Separates both, as published.
    fn default() -> Self {
        Separation {
            constants: true,
            locals: true,
        }
    }
}

/// Segments of all objects.
pub struct StaticSegments {
    of: Vec<Option<StaticSegmentId>>,
    /// Number of objects in each segment.
    sizes: Vec<u32>,
}

impl StaticSegments {
    pub fn new(points_to: &PointsTo, separation: Separation) -> StaticSegments {
        let objects = points_to.objects();
        let takes_part: Vec<bool> = objects
            .iter()
            .map(|(id, object)| match object {
                AbstractObject::Outside | AbstractObject::Heap { .. } => true,
                AbstractObject::Global(_) => !separation.constants || !points_to.is_constant(id),
                AbstractObject::Function(_) => false,
                AbstractObject::Alloca { .. }
                | AbstractObject::ParameterCopy { .. }
                | AbstractObject::ArgumentCopy { .. }
                | AbstractObject::VariableArguments(_) => !separation.locals,
            })
            .collect();
        let mut merged = Merged::new(objects.len());
        let mut join = |members: &mut dyn Iterator<Item = AbstractId>| {
            let mut members = members.filter(|m| takes_part[m.0 as usize]);
            if let Some(first) = members.next() {
                members.for_each(|m| merged.join(first.0, m.0));
            }
        };
        // The outside is all that escaped.
        join(&mut std::iter::once(OUTSIDE).chain(points_to.escaped().iter()));
        for set in points_to.accessed() {
            join(&mut set.iter().map(AbstractId));
        }
        let mut numbers: Vec<Option<StaticSegmentId>> = vec![None; objects.len()];
        let mut of = Vec::with_capacity(objects.len());
        let mut sizes: Vec<u32> = Vec::new();
        for (id, object) in objects.iter() {
            if matches!(object, AbstractObject::Function(_)) {
                of.push(None);
                continue;
            }
            let root = merged.root(id.0) as usize;
            let segment = *numbers[root].get_or_insert_with(|| {
                sizes.push(0);
                StaticSegmentId(sizes.len() as u32 - 1)
            });
            sizes[segment.0 as usize] += 1;
            of.push(Some(segment));
        }
        StaticSegments { of, sizes }
    }

    /// Returns the segment of an abstract object; `None` for functions.
    pub fn of(&self, object: AbstractId) -> Option<StaticSegmentId> {
        self.of[object.0 as usize]
    }

    /// Returns the segment of an object, if the analysis met it.
    fn find(&self, points_to: &PointsTo, object: AbstractObject) -> Option<StaticSegmentId> {
        points_to.objects().find(object).and_then(|id| self.of(id))
    }

    pub fn of_global(&self, points_to: &PointsTo, g: GlobalId) -> Option<StaticSegmentId> {
        self.find(points_to, AbstractObject::Global(g))
    }

    /// Returns the segment of the objects that a call of an allocator makes; `None` if the call is
    /// not reachable or calls none as far as the analysis knows. For a declared wrapper of an
    /// allocator, ask for the call of the wrapper: see [`StaticSegments::of_allocation`].
    pub fn of_call(&self, points_to: &PointsTo, f: FuncId, inst: u32) -> Option<StaticSegmentId> {
        let object = AbstractObject::Heap { function: f, inst };
        self.find(points_to, object)
    }

    /// Returns the segment of an object being allocated, from the active calls, innermost first:
    /// that of the first call that is an allocation to the analysis.
    pub fn of_allocation(
        &self,
        points_to: &PointsTo,
        calls: impl IntoIterator<Item = (FuncId, u32)>,
    ) -> Option<StaticSegmentId> {
        let mut calls = calls.into_iter();
        calls.find_map(|(f, inst)| self.of_call(points_to, f, inst))
    }

    /// Returns the number of segments.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Returns false, since there is always the segment of the outside.
    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    /// Returns the number of abstract objects of each segment.
    pub fn sizes(&self) -> &[u32] {
        &self.sizes
    }
}

/// Union-find on object numbers; the smallest number of a set represents it.
struct Merged(Vec<u32>);

impl Merged {
    fn new(count: usize) -> Self {
        Merged((0..count as u32).collect())
    }

    fn root(&mut self, mut n: u32) -> u32 {
        while self.0[n as usize] != n {
            let up = self.0[self.0[n as usize] as usize];
            self.0[n as usize] = up;
            n = up;
        }
        n
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}
