//! Sampled properties of the contents of an access's candidates. They are computed only when a
//! model asks for them.

use super::Candidate;
use crate::AddressSpace;
use smallvec::SmallVec;
use symex_terms::ObjectId;

/// Properties of the contents of objects.
pub trait SampledContents {
    /// Reports whether a sample of the objects has values that depend on inputs.
    fn inputs_inside(&self) -> bool;

    /// Reports whether a sample of the objects holds the same constants.
    fn alike(&self) -> bool;

    /// Reports whether nothing in the objects depends on inputs.
    fn plain(&self) -> bool;
}

/// Sampler of the contents of the candidates' objects.
pub struct ContentsSampler<'a> {
    pub memory: &'a AddressSpace,
    pub candidates: &'a [Candidate],
}

impl ContentsSampler<'_> {
    /// Returns some of the live objects.
    fn objects(&self) -> SmallVec<[ObjectId; 5]> {
        let last = self.candidates.len() - 1;
        let at = (0..=4).map(|quarter| quarter * last / 4);
        let mut objects: SmallVec<_> = at.filter_map(|i| self.candidates[i].object).collect();
        objects.retain(|object| self.memory.is_live(*object));
        objects.dedup();
        objects
    }
}

impl SampledContents for ContentsSampler<'_> {
    fn inputs_inside(&self) -> bool {
        let objects = self.objects();
        objects.iter().any(|o| self.memory.begins_symbolic(*o))
    }

    /// Reports whether neighbours in the sample have equal contents. One pair may differ: often the
    /// first or the last object is special.
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
