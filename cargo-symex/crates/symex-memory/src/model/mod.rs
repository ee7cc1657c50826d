//! Memory models: policies for a pointer that may refer to several objects, one per file.
//!
//! A model only decides. It sees the candidates of one access and names one of the mechanisms that
//! the executor has: a path per object, one if-then-else value, one object alone. So models mix
//! freely, and another model is one more file here and one more name in the settings.

mod adaptive;
mod birth;
mod contents_sample;
mod dynamic;
mod flat;
mod forking;
mod merging;
mod part_size;
mod planes;
mod segmented;
mod single;

use super::{AddressSpace, Representation};
pub use birth::{Birth, Births, CallPlace};
pub use contents_sample::{ContentsSampler, SampledContents};
pub use part_size::part_log2;
use symex_program::{FuncId, Program};
use symex_terms::{Expr, ObjectId};
use symex_types::config::{MemoryConfig, MemoryModelKind};

/// Use of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Load of this many bytes.
    Load(u64),
    /// Store of this many bytes.
    Store(u64),
    /// Any use that needs one object: a call, `free`, an operation on a range.
    Other,
}

/// One possible target of a pointer: an object, or an address in no object.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The object, if it is one.
    pub object: Option<ObjectId>,
    /// Condition for the pointer to refer to it.
    pub guard: Expr,
}

/// Description of an access through a pointer with at least two candidates, or with one that is
/// split, to several parts of it.
pub struct AccessRequest<'a> {
    pub purpose: Use,
    pub candidates: &'a [Candidate],
    /// Whether the offset inside the objects depends on inputs.
    pub symbolic_offset: bool,
    /// Size of all candidates together, in bytes.
    pub bytes: u64,
    /// Number of these bytes that the access may reach, as far as is plain to see.
    pub reach: u64,
    /// Contents of the candidates, examined on request.
    pub contents: &'a dyn SampledContents,
    /// Whether merged accesses went to some of the objects before, on this path.
    pub merged_before: bool,
    /// Whether some of these accesses were stores.
    pub stored_before: bool,
}

/// Plan: mechanism by which an access is carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plan {
    /// A path per candidate, or per part.
    Fork,
    /// No fork: loads make an if-then-else of the candidates' values, stores write to each under
    /// its guard.
    Merge,
    /// As `Merge`, after moving objects into segments as [`MemoryModel::together`] says: candidates
    /// in one segment are one access.
    Segment,
    /// One candidate; the others are dropped, and the verdict says so.
    Single,
}

/// A memory model: policy for accesses with several candidates. It may depend on the access and on
/// what came before on the same path. It must not depend on other paths, since their order may
/// vary.
pub trait MemoryModel {
    /// Decides how to carry out an access. For [`Use::Other`], `Merge` and `Segment` count as
    /// `Fork`.
    fn plan(&mut self, request: &AccessRequest<'_>) -> Plan;

    /// Receives the entry function of the run, before anything else.
    fn enter(&mut self, _entry: FuncId) {}

    /// Returns the representation of writes at addresses that are not constant. Called once, when
    /// the run begins.
    fn representation(&self) -> Representation {
        Representation::Arrays
    }

    /// Returns the number of calls that [`Births`] keeps of each allocation, innermost first;
    /// `None`: births are not recorded. Called once.
    fn born_in_calls(&self) -> Option<usize> {
        None
    }

    /// Reports whether queries are worth their cost that narrow down which parts of an object an
    /// access reaches, if its term allows this many elements. Called where the settings say nothing
    /// about splitting [RAM 2.4].
    fn narrows(&self, _elements: u64) -> bool {
        false
    }

    /// Reports whether an access that [`Self::narrows`] narrowed to this many elements is to be
    /// split into paths, where the path has split the object by so many other offsets before.
    fn splits(&self, _elements: u64, _before: usize, _contents: &dyn SampledContents) -> bool {
        false
    }

    /// Returns the objects to be moved into one segment before an access to `accessed` by
    /// [`Plan::Segment`].
    fn together(
        &mut self,
        _memory: &AddressSpace,
        _births: &Births,
        _accessed: &[ObjectId],
    ) -> Vec<Union> {
        Vec::new()
    }
}

/// Objects to be moved into one segment.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Union {
    pub objects: Vec<ObjectId>,
    /// Size of a segment, in bytes, beyond which another is started.
    pub most: u64,
}

/// Makes the model that the settings name. No other place in this package or in the executor names
/// a model.
pub fn by_config<'a>(config: &MemoryConfig, program: &'a Program) -> Box<dyn MemoryModel + 'a> {
    match config.model {
        MemoryModelKind::Single => Box::new(single::Single),
        MemoryModelKind::Forking => Box::new(forking::Forking),
        MemoryModelKind::Adaptive => Box::new(adaptive::Adaptive),
        MemoryModelKind::Merging => Box::new(merging::Merging),
        MemoryModelKind::Flat => Box::new(flat::Flat),
        MemoryModelKind::Segmented => Box::new(segmented::Segmented::new(config, program)),
        MemoryModelKind::Dynamic => Box::new(dynamic::Dynamic::new(config)),
        MemoryModelKind::Planes => Box::new(planes::Planes::new(config)),
    }
}
