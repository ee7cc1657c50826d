//! Checks that need the solver: use of uninitialised memory, and conditions that must hold.

use crate::exec::Executor;
use crate::exec::memory::globals;
use crate::exec::merge::Parting;
use crate::exec::path::end::{Fault, Res};
use crate::exec::path::fork::Feasible;
use crate::exec::path::message::{Message, MessagePiece, count_of_bytes, message};
use crate::state::State;
use rustc_hash::FxHashMap;
use symex_memory::{Allocator, ObjectKind};
use symex_solver::{Answer, Purpose};
use symex_terms::{
    Assignment, Expr, Kind, ObjectId, Origin, Pool, Symbol, Value, Var, VarInfo, Width,
};
use symex_types::bits::mask;
use symex_types::outcome::FindingKind;
use symex_types::outcome::decision_tree::ForkKind;

/// Number of unwritten bytes in a term from which on uniform contents are tried first.
const MANY: usize = 16;

/// Greatest number of symbols of a term that are tried to name a byte.
const MOST_TRIED: usize = 4096;

/// An unwritten byte, or a value that the compiler left undefined.
struct Unwritten {
    var: Var,
    place: (Option<ObjectId>, u64),
}

impl Executor<'_> {
    /// Ends the path with a finding if the term's value really depends on unwritten memory, that is
    /// if two contents of that memory give two values. A term may mention such memory without
    /// depending on it. Must be called before the instruction has changed anything.
    pub fn check_initialised(&mut self, st: &mut State, e: Expr) -> Res<()> {
        // What is selected is mostly a smaller question than what comes of it.
        let reads = self.pool.reads_unwritten(e);
        if !self.may_hold(st, reads)? {
            return Ok(());
        }
        let unwritten = self.unwritten_in(e);
        let Some(first) = unwritten.first() else {
            return Ok(());
        };
        let (object, offset) = first.place;
        let uniform = self.differ_uniformly(st, e, &unwritten);
        let found = match uniform {
            Some(found) => Some(found),
            None => {
                let twin = self.with_twins(e, &unwritten);
                let differ = self.pool.ne(e, twin);
                if let Kind::Const(0) = self.pool.kind(differ) {
                    return Ok(());
                }
                let assignment = match self.part_where_hard(st, differ, Purpose::Check)? {
                    Parting::Parted => {
                        let e = self.as_parted(st, e);
                        return self.check_initialised(st, e);
                    }
                    Parting::Answered(answer) => self.assignment_or_without(st, differ, answer),
                    Parting::Whole => self.satisfiable_or_exclude(st, differ, Purpose::Check),
                };
                assignment.map(|assignment| (differ, assignment))
            }
        };
        if let Some((differ, assignment)) = found {
            let (object, offset) = self
                .decisive(st, e, &assignment)
                .unwrap_or((object, offset));
            let message = match object {
                Some(o) => {
                    let fault = match st.memory.is_out_of_scope(o) {
                        true => " was never written, or read after its scope",
                        false => " was never written",
                    };
                    message![format!("byte {offset} of "), self.describe(st, o), fault]
                }
                None => "the compiler left this value undefined".into(),
            };
            let mut fault = Fault::new(FindingKind::UninitUse, message);
            fault.object = object;
            // The condition must say what is wrong, for the inputs are made small under it.
            self.narrow(st, differ, Some(assignment));
            return Err(fault.into());
        }
        Ok(())
    }

    /// Reports whether a condition may hold on the path, as far as that can be told soon.
    pub(in crate::exec) fn may_hold(&mut self, st: &mut State, condition: Expr) -> Res<bool> {
        let condition = self.as_parted(st, condition);
        if let Some(value) = self.pool.as_const(condition) {
            return Ok(value == 1);
        }
        let answer = match self.part_where_hard(st, condition, Purpose::Check)? {
            Parting::Answered(answer) => answer,
            Parting::Parted => return self.may_hold(st, condition),
            Parting::Whole => {
                let queries = &mut self.queries;
                queries.quickly_ask(&mut self.pool, st, condition, Purpose::Check)
            }
        };
        let possible = !matches!(answer, Answer::Unsat);
        if !possible {
            self.assignment_or_without(st, condition, answer);
        }
        Ok(possible)
    }

    /// Returns the value of a term that does not depend on the unwritten memory that it mentions.
    pub(in crate::exec) fn without_unwritten(&mut self, e: Expr) -> Value {
        let e = self.with_unwritten(e, &self.unwritten_in(e), |pool, width| {
            pool.constant(width, 0)
        });
        self.pool.value(e)
    }

    /// Returns the unwritten bytes that a term mentions.
    fn unwritten_in(&self, e: Expr) -> Vec<Unwritten> {
        let symbols = self.pool.support(e).iter();
        let unwritten = symbols.filter_map(|symbol| {
            let Symbol::Var(var) = *symbol else {
                return None;
            };
            match self.pool.var_info(var).origin {
                Origin::Uninit { object, offset } => Some(Unwritten {
                    var,
                    place: (object, offset),
                }),
                _ => None,
            }
        });
        unwritten.collect()
    }

    /// Returns a term with other values for the unwritten bytes that it mentions, by their widths.
    fn with_unwritten(
        &mut self,
        e: Expr,
        unwritten: &[Unwritten],
        mut value: impl FnMut(&mut Pool, Width) -> Expr,
    ) -> Expr {
        let mut values: FxHashMap<Width, Expr> = FxHashMap::default();
        let mut map = FxHashMap::default();
        for Unwritten { var, .. } in unwritten {
            let width = self.pool.var_info(*var).width;
            let value = *values
                .entry(width)
                .or_insert_with(|| value(&mut self.pool, width));
            map.insert(self.pool.term_of(*var), value);
        }
        self.pool.substitute(e, &map)
    }

    /// Returns a term with other names for the unwritten bytes that it mentions.
    fn with_twins(&mut self, e: Expr, unwritten: &[Unwritten]) -> Expr {
        let mut twins = FxHashMap::default();
        for Unwritten { var, .. } in unwritten {
            let info = self.pool.var_info(*var).clone();
            let twin = VarInfo {
                name: format!("{}'", info.name).into(),
                ..info
            };
            twins.insert(self.pool.term_of(*var), self.pool.var(twin));
        }
        self.pool.substitute(e, &twins)
    }

    /// Finds an unwritten byte that alone changes the term's value under an assignment. A term may
    /// name many on which it does not depend, as a read of one of several objects does.
    fn decisive(
        &mut self,
        st: &State,
        e: Expr,
        assignment: &Assignment,
    ) -> Option<(Option<ObjectId>, u64)> {
        let value = self.pool.eval(e, assignment, &st.memory);
        let symbols: Vec<Symbol> = self.pool.support(e).to_vec();
        for s in symbols.into_iter().take(MOST_TRIED) {
            let Symbol::Var(v) = s else { continue };
            let Origin::Uninit { object, offset } = self.pool.var_info(v).origin else {
                continue;
            };
            let all = mask(self.pool.var_info(v).width);
            let mut other = assignment.clone();
            other.set(v, !assignment.get(v) & all);
            if self.pool.eval(e, &other, &st.memory) != value {
                return Some((object, offset));
            }
        }
        None
    }

    /// Looks for two uniform contents of unwritten memory (the same byte everywhere) that differ in
    /// the term's value. A term that reads one of many such bytes becomes short then.
    fn differ_uniformly(
        &mut self,
        st: &State,
        e: Expr,
        unwritten: &[Unwritten],
    ) -> Option<(Expr, Assignment)> {
        if unwritten.len() < MANY {
            return None;
        }
        let mut filled = |name: &str| {
            self.with_unwritten(e, unwritten, |pool, width| {
                pool.var(VarInfo {
                    name: format!("{name}{width}").into(),
                    width,
                    origin: Origin::Uninit {
                        object: None,
                        offset: 0,
                    },
                })
            })
        };
        let (one, other) = (filled("any"), filled("other"));
        let differ = self.pool.ne(one, other);
        if let Kind::Const(0) = self.pool.kind(differ) {
            return None;
        }
        let assignment = self.satisfiable(st, differ, Purpose::Check)?;
        Some((differ, assignment))
    }

    /// Reports `fault` for the inputs that violate `must`, and continues with those that satisfy
    /// it.
    pub fn require(
        &mut self,
        st: &mut State,
        must: Expr,
        fault: impl FnOnce() -> Fault,
    ) -> Res<()> {
        if self.pool.as_const(must) == Some(1) || st.condition.contains(&self.pool, must) {
            return Ok(());
        }
        let negated = self.pool.not(must);
        let Some(bad) = self.satisfiable_or_exclude(st, negated, Purpose::Bounds) else {
            return Ok(());
        };
        let good = self.satisfiable_or_exclude(st, must, Purpose::Bounds);
        let fault = fault();
        match good {
            None => {
                self.narrow(st, negated, Some(bad));
                Err(fault.into())
            }
            Some(good) => {
                let mut failing = self.clone_state(st, ForkKind::Check);
                self.narrow(&mut failing, negated, Some(bad));
                self.end_path(failing, crate::exec::path::end::PathEnd::Fault(fault));
                self.narrow(st, must, Some(good));
                Ok(())
            }
        }
    }

    /// Checks as [`Self::require`] does for several conditions, each with its fault: with one query
    /// if none of them can be violated.
    pub(in crate::exec) fn require_all(
        &mut self,
        st: &mut State,
        all: Vec<(Expr, Fault)>,
    ) -> Res<()> {
        let mut violated = self.pool.bool(false);
        let mut asked = 0;
        for (must, _) in &all {
            if self.pool.as_const(*must) != Some(1) && !st.condition.contains(&self.pool, *must) {
                let not = self.pool.not(*must);
                violated = self.pool.or(violated, not);
                asked += 1;
            }
        }
        // A question too hard as a whole may have easy parts.
        if asked == 0
            || asked > 1
                && matches!(
                    self.quickly_satisfiable_or_exclude(st, violated, Purpose::Bounds),
                    Feasible::No
                )
        {
            return Ok(());
        }
        for (must, fault) in all {
            self.require(st, must, || fault)?;
        }
        Ok(())
    }

    /// Describes an object in words.
    pub fn describe(&self, st: &State, id: ObjectId) -> Message {
        let o = st.memory.object(id);
        let global = globals::global_of_object(self.program, id);
        let kind = match o.kind {
            _ if global.is_some_and(|g| self.program.globals[g.0 as usize].is_of_locals()) => {
                "a local variable"
            }
            // Of those that are no program's own, only the copies of threads end.
            ObjectKind::Global if global.is_none() && !st.memory.is_live(id) => {
                "a thread-local variable"
            }
            ObjectKind::Stack => "a local variable",
            ObjectKind::Heap(Allocator::System) => "a memory mapping",
            ObjectKind::Heap(_) => "a heap allocation",
            ObjectKind::Global => "a global variable",
            ObjectKind::Constant => "a constant",
            ObjectKind::Function => return "a function".into(),
        };
        match o.length {
            Some(length) => message![kind, " of ", MessagePiece::Bytes(length.term)],
            None => message![kind, " of ", count_of_bytes(o.size)],
        }
    }
}
