//! What the analysis found: the objects that each register may point to.
//!
//! Sound for what a run does by the rules of the language: an address is made from the address of
//! its object, in pieces only if those are followed. Where that fails, and for code that was held
//! unreachable, an object is missing in a set; users of the sets must treat that as lost precision,
//! not as proof.

use super::generate::FunctionNodes;
use super::graph::{Counts, Node, Solved};
use super::object::{AbstractId, AbstractObject, OUTSIDE, Objects};
use super::set::Set;
use std::time::Duration;
use symex_program::{Body, Constant, FuncId, Operand, Program};

/// How big a problem was and what its solution took.
#[derive(Clone, Copy, Default, Debug)]
pub struct Stats {
    pub objects: usize,
    /// Objects whose address gets to the outside.
    pub escaped: usize,
    /// Functions with a body that are reachable.
    pub functions: usize,
    /// Pairs of a call site and a function, for calls through pointers.
    pub call_edges: usize,
    /// Before any merging.
    pub nodes: usize,
    /// Merged nodes with a set that is not empty.
    pub sets: usize,
    /// Sum of their sizes, and the size of the largest.
    pub members: usize,
    pub largest: usize,
    pub counts: Counts,
    pub time: Duration,
}

/// The result of the analysis.
pub struct PointsTo {
    objects: Objects,
    functions: Vec<Option<FunctionNodes>>,
    escaped: Node,
    unknown: Vec<FuncId>,
    solved: Solved,
    stats: Stats,
    /// Objects by kind, for segments.
    constant: Vec<bool>,
}

/// The objects that a value may point to. With the outside in it, also every object that escaped
/// ([`PointsTo::escaped`]).
#[derive(Clone, Copy)]
pub struct Pointees<'a>(Members<'a>);

#[derive(Clone, Copy)]
enum Members<'a> {
    One(Option<AbstractId>),
    Set(&'a Set),
}

impl<'a> Pointees<'a> {
    /// Ascending.
    pub fn iter(self) -> impl Iterator<Item = AbstractId> + 'a {
        let (one, set) = match self.0 {
            Members::One(one) => (one, None),
            Members::Set(set) => (None, Some(set)),
        };
        let set = set.into_iter().flat_map(|set| set.iter().map(AbstractId));
        one.into_iter().chain(set)
    }

    pub fn contains(self, object: AbstractId) -> bool {
        match self.0 {
            Members::One(one) => one == Some(object),
            Members::Set(set) => set.contains(object.0),
        }
    }

    pub fn len(self) -> usize {
        match self.0 {
            Members::One(one) => one.is_some().into(),
            Members::Set(set) => set.len(),
        }
    }

    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl PointsTo {
    pub(super) fn new(
        program: &Program,
        objects: Objects,
        functions: Vec<Option<FunctionNodes>>,
        escaped: Node,
        unknown: Vec<FuncId>,
        solved: Solved,
        stats: Stats,
    ) -> Self {
        let constant = |object| match object {
            AbstractObject::Global(g) => program.global(g).constant,
            _ => false,
        };
        let stats = Stats {
            escaped: solved.set(escaped).len(),
            sets: solved.sets().count(),
            members: solved.sets().map(Set::len).sum(),
            largest: solved.sets().map(Set::len).max().unwrap_or(0),
            ..stats
        };
        PointsTo {
            constant: objects.iter().map(|(_, o)| constant(o)).collect(),
            objects,
            functions,
            escaped,
            unknown,
            solved,
            stats,
        }
    }

    pub fn objects(&self) -> &Objects {
        &self.objects
    }

    pub fn stats(&self) -> &Stats {
        &self.stats
    }

    /// Is it a global that never changes?
    pub fn is_constant(&self, object: AbstractId) -> bool {
        self.constant[object.0 as usize]
    }

    /// Was the function found reachable, and looked into?
    pub fn is_reachable(&self, f: FuncId) -> bool {
        self.functions[f.0 as usize].is_some()
    }

    /// What an operand of a function may point to, at any time. Nothing in functions that are not
    /// reachable.
    pub fn pointees(&self, f: FuncId, body: &Body, operand: Operand) -> Pointees<'_> {
        let members = match (operand.decode(), self.functions[f.0 as usize]) {
            (Ok(slot), Some(nodes)) => Members::Set(self.solved.set(nodes.slot(slot))),
            (Ok(_), None) => Members::One(None),
            (Err(constant), _) => {
                let object = match body.constants.get(constant as usize) {
                    Some(Constant::Global(g, _)) => Some(AbstractObject::Global(*g)),
                    Some(Constant::Function(f) | Constant::Block(f, _)) => {
                        Some(AbstractObject::Function(*f))
                    }
                    _ => None,
                };
                Members::One(object.and_then(|o| self.objects.find(o)))
            }
        };
        Pointees(members)
    }

    /// The objects whose address gets to the outside.
    pub fn escaped(&self) -> Pointees<'_> {
        Pointees(Members::Set(self.solved.set(self.escaped)))
    }

    /// Functions that are called and neither have a body nor are known: what they are given
    /// escapes. Ascending. An effect for each that occurs often is the surest way to smaller sets.
    pub fn unknown_functions(&self) -> &[FuncId] {
        &self.unknown
    }

    /// May the operand point to the object, directly or since it may be any object that escaped?
    pub fn may_point_to(
        &self,
        f: FuncId,
        body: &Body,
        operand: Operand,
        object: AbstractId,
    ) -> bool {
        let pointees = self.pointees(f, body, operand);
        pointees.contains(object) || (pointees.contains(OUTSIDE) && self.escaped().contains(object))
    }

    /// The sets of all values that memory is accessed through.
    pub(super) fn accessed(&self) -> impl Iterator<Item = &Set> + '_ {
        self.solved.accessed()
    }
}
