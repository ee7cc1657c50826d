//! Contents of the candidates of an access, as far as a few of them tell. Looked at only when a
//! model asks for it.

use super::Candidate;
use crate::AddressSpace;
use smallvec::SmallVec;
use symex_terms::ObjectId;

/// Facts about the contents of objects.
pub trait SampledContents {
    /// Do they hold values that depend on inputs, as far as a sample tells?
    fn inputs_inside(&self) -> bool;

    /// Do they hold the same constants, as far as a sample tells?
    fn alike(&self) -> bool;

    /// Does nothing in them depend on inputs?
    fn plain(&self) -> bool;
}

/// The contents of the candidates' objects.
pub struct Sample<'a> {
    pub memory: &'a AddressSpace,
    pub candidates: &'a [Candidate],
}

impl Sample<'_> {
    /// Some of the objects that are alive.
    fn objects(&self) -> SmallVec<[ObjectId; 5]> {
        let last = self.candidates.len() - 1;
        let at = (0..=4).map(|quarter| quarter * last / 4);
        let mut objects: SmallVec<_> = at.filter_map(|i| self.candidates[i].object).collect();
        objects.retain(|object| self.memory.is_live(*object));
        objects.dedup();
        objects
    }
}

impl SampledContents for Sample<'_> {
    fn inputs_inside(&self) -> bool {
        let objects = self.objects();
        objects.iter().any(|o| self.memory.begins_symbolic(*o))
    }

    /// Do neighbours in the sample hold the same? One may differ: often the first or the last is
    /// special.
    fn alike(&self) -> bool {
        let objects = self.objects();
        let unlike = |two: &&[ObjectId]| !self.memory.look_alike(two[0], two[1]);
        objects.len() > 1 && objects.windows(2).filter(unlike).count() <= (objects.len() - 1) / 4
    }

    fn plain(&self) -> bool {
        let mut objects = self.candidates.iter().filter_map(|c| c.object);
        objects.all(|object| self.memory.is_plain(object))
    }
}
