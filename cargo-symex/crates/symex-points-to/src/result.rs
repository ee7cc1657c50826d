//! Result of the analysis: the objects to which each register may point.
//!
//! Sound for runs that follow the rules of the language: an address is made from the address of its
//! object, in pieces only if those are followed. Where that fails, and for code that was considered
//! unreachable, an object is missing in a set; users of the sets must treat that as lost precision,
//! not as proof.

use super::generate::FunctionNodes;
use super::graph::{Counts, PointerNode, Solved};
use super::object::{AbstractId, AbstractObject, OUTSIDE, Objects};
use super::set::ObjectSet;
use std::time::Duration;
use symex_program::{Body, Constant, FuncId, Operand, Program};

/// Statistics of the problem and of its solution.
#[derive(Clone, Copy, Default, Debug)]
pub struct AnalysisStats {
    pub objects: usize,
    /// Number of objects whose address escapes to the outside.
    pub escaped: usize,
    /// Number of functions with a body that are reachable.
    pub functions: usize,
    /// Number of pairs of a call site and a function, for calls through pointers.
    pub call_edges: usize,
    /// Number of nodes before any merging.
    pub nodes: usize,
    /// Number of merged nodes with a nonempty set.
    pub sets: usize,
    /// Sum of the sizes of these sets; the next field is the size of the largest.
    pub members: usize,
    pub largest: usize,
    pub counts: Counts,
    pub time: Duration,
}

/// The result of the analysis.
pub struct PointsTo {
    objects: Objects,
    functions: Vec<Option<FunctionNodes>>,
    escaped: PointerNode,
    unknown: Vec<FuncId>,
    solved: Solved,
    stats: AnalysisStats,
    /// Whether each object is constant, for segments.
    constant: Vec<bool>,
}

/// The objects to which a value may point. With the outside in it, also every object that escaped
/// ([`PointsTo::escaped`]).
#[derive(Clone, Copy)]
pub struct Pointees<'a>(PointeeSet<'a>);

#[derive(Clone, Copy)]
enum PointeeSet<'a> {
    One(Option<AbstractId>),
    Set(&'a ObjectSet),
}

impl<'a> Pointees<'a> {
    /// Iterates in ascending order.
    pub fn iter(self) -> impl Iterator<Item = AbstractId> + 'a {
        let (one, set) = match self.0 {
            PointeeSet::One(one) => (one, None),
            PointeeSet::Set(set) => (None, Some(set)),
        };
        let set = set.into_iter().flat_map(|set| set.iter().map(AbstractId));
        one.into_iter().chain(set)
    }

    pub fn contains(self, object: AbstractId) -> bool {
        match self.0 {
            PointeeSet::One(one) => one == Some(object),
            PointeeSet::Set(set) => set.contains(object.0),
        }
    }

    pub fn len(self) -> usize {
        match self.0 {
            PointeeSet::One(one) => one.is_some().into(),
            PointeeSet::Set(set) => set.len(),
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
        escaped: PointerNode,
        unknown: Vec<FuncId>,
        solved: Solved,
        stats: AnalysisStats,
    ) -> Self {
        let constant = |object| match object {
            AbstractObject::Global(g) => program.global(g).constant,
            _ => false,
        };
        let stats = AnalysisStats {
            escaped: solved.set(escaped).len(),
            sets: solved.sets().count(),
            members: solved.sets().map(ObjectSet::len).sum(),
            largest: solved.sets().map(ObjectSet::len).max().unwrap_or(0),
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

    pub fn stats(&self) -> &AnalysisStats {
        &self.stats
    }

    /// Reports whether it is a global that never changes.
    pub fn is_constant(&self, object: AbstractId) -> bool {
        self.constant[object.0 as usize]
    }

    /// Reports whether the function was found reachable, and analysed.
    pub fn is_reachable(&self, f: FuncId) -> bool {
        self.functions[f.0 as usize].is_some()
    }

    /// Returns the objects to which an operand of a function may point, at any time. Empty in
    /// functions that are not reachable.
    pub fn pointees(&self, f: FuncId, body: &Body, operand: Operand) -> Pointees<'_> {
        let members = match (operand.decode(), self.functions[f.0 as usize]) {
            (Ok(slot), Some(nodes)) => PointeeSet::Set(self.solved.set(nodes.slot(slot))),
            (Ok(_), None) => PointeeSet::One(None),
            (Err(constant), _) => {
                let object = match body.constants.get(constant as usize) {
                    Some(Constant::Global(g, _)) => Some(AbstractObject::Global(*g)),
                    Some(Constant::Function(f) | Constant::Block(f, _)) => {
                        Some(AbstractObject::Function(*f))
                    }
                    _ => None,
                };
                PointeeSet::One(object.and_then(|o| self.objects.find(o)))
            }
        };
        Pointees(members)
    }

    /// Returns the objects whose address escapes to the outside.
    pub fn escaped(&self) -> Pointees<'_> {
        Pointees(PointeeSet::Set(self.solved.set(self.escaped)))
    }

    /// Returns the functions, in ascending order, that are called but neither have a body nor are
    /// known: their arguments escape. Giving an effect to those that occur often is the surest way
    /// to smaller sets.
    pub fn unknown_functions(&self) -> &[FuncId] {
        &self.unknown
    }

    /// Reports whether the operand may point to the object, directly or because it may point to any
    /// object that escaped.
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

    /// Iterates over the sets of all values through which memory is accessed.
    pub(super) fn accessed(&self) -> impl Iterator<Item = &ObjectSet> + '_ {
        self.solved.accessed()
    }
}
