//! Memory models: what to do with a pointer that may refer to several objects, one policy a file.
//!
//! A model only decides. It sees the candidates of one access and names one of the mechanisms that
//! the executor has: a path per object, one value that chooses, one object alone. So models mix
//! freely, and a further model is one more file here and one more name in the settings.

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
pub use contents_sample::{Sample, SampledContents};
pub use part_size::part_log2;
use symex_program::{FuncId, Program};
use symex_terms::{Expr, ObjectId};
use symex_types::config::{MemoryConfig, MemoryModelKind};

/// Use that is made of a pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// A load, with its bytes.
    Load(u64),
    /// A store, with its bytes.
    Store(u64),
    /// Anything that needs one object: a call, `free`, an operation on a range.
    Other,
}

/// One object, or one address in none, that a pointer may refer to.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The object, if it is one.
    pub object: Option<ObjectId>,
    /// Condition for the pointer to refer to it.
    pub guard: Expr,
}

/// An access through a pointer with at least two candidates; or with one, which is split, to
/// several parts of it.
pub struct Request<'a> {
    pub purpose: Use,
    pub candidates: &'a [Candidate],
    /// Does the place inside the objects depend on inputs?
    pub symbolic_offset: bool,
    /// Bytes of all candidates together.
    pub bytes: u64,
    /// Those of them that may be reached, as far as is plain to see.
    pub reach: u64,
    /// Contents of the candidates; looked at when they are asked for.
    pub contents: &'a dyn SampledContents,
    /// Did merged accesses go to some of the objects before, on this path?
    pub merged_before: bool,
    /// Were some of them stores?
    pub stored_before: bool,
}

/// The way in which an access is carried out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Plan {
    /// One path per candidate, or per part.
    Fork,
    /// No fork: loads choose among the candidates' values, stores write to each under its guard.
    Merge,
    /// Like `Merge`, after objects were moved into segments as [`MemoryModel::together`] says: what
    /// lies in one is one access.
    Segment,
    /// One candidate; the others are dropped, and the verdict says so.
    Single,
}

/// A policy. It may look at the access and at what came before on the same path. What happened on
/// other paths depends on the order in which they are followed, and must not matter.
pub trait MemoryModel {
    /// Decides what to do with an access. For [`Use::Other`], `Merge` and `Segment` count as
    /// `Fork`.
    fn plan(&mut self, request: &Request<'_>) -> Plan;

    /// The function that the run begins with, before anything else.
    fn enter(&mut self, _entry: FuncId) {}

    /// Representation of writes at addresses that are no constants. Asked once, when the run
    /// begins.
    fn representation(&self) -> Representation {
        Representation::Arrays
    }

    /// Calls that [`Births`] keeps of each allocation, innermost first; `None`: births are not
    /// asked for. Asked once.
    fn born_in_calls(&self) -> Option<usize> {
        None
    }

    /// Asks, where the settings say nothing about splitting [RAM 2.4], whether some queries are
    /// worth it to see to which parts of an object an access leads that may go to this many
    /// elements as far as its term says.
    fn narrows(&self, _elements: u64) -> bool {
        false
    }

    /// Asks whether an access that [`Self::narrows`] led to this many elements is to be split into
    /// paths.
    fn splits(&self, _elements: u64, _contents: &dyn SampledContents) -> bool {
        false
    }

    /// Objects that are to be in one segment before an access to `accessed` by [`Plan::Segment`].
    fn together(
        &mut self,
        _memory: &AddressSpace,
        _births: &Births,
        _accessed: &[ObjectId],
    ) -> Vec<Union> {
        Vec::new()
    }
}

/// Objects to be moved together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Union {
    pub objects: Vec<ObjectId>,
    /// Bytes of a segment beyond which another is begun.
    pub most: u64,
}

/// The model that the settings name. No other place in this package or in the executor names a
/// model.
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
