//! Evaluation of terms under an assignment: the ground truth for the simplifier and for every
//! solver.
//!
//! Invariant: a value has no bits above its term's width. The operators on numbers are in `number`;
//! this file walks the graph. Values of terms without base addresses are remembered from call to
//! call for as long as the assignment stays the same; terms with base addresses are remembered
//! within one call only, because nothing tells two address maps apart.

use super::assignment::{AddressMap, Assignment};
use super::build::mask;
use super::node::*;
use super::pool::Pool;

pub use super::number::{bin, canonical_nan, fcast, fma, sign_extend, un};

/// Reusable memory of evaluations: values by position in the pool, each stamped with its epoch.
#[derive(Default)]
pub struct Scratch {
    values: Vec<u128>,
    stamps: Vec<u32>,
    /// Assignment of the present epoch. Holding it keeps its storage from being changed or reused,
    /// so that equal storage means equal values.
    assignment: Assignment,
    /// Stamp of values that depend on the assignment alone. 0 is never a valid stamp.
    plain: u32,
    /// Stamp of values of the present call that depend on addresses.
    based: u32,
    last: u32,
    stack: Vec<EvaluationTask>,
}

#[derive(Clone, Copy)]
enum EvaluationTask {
    /// Computes the term's value.
    Term(Expr),
    /// Searches for the index of a select, which is known, from this array on.
    Walk {
        select: Expr,
        index: u128,
        array: Array,
    },
}

impl Scratch {
    fn begin(&mut self, assignment: &Assignment, len: usize, has_base: bool) {
        if self.last >= u32::MAX - 2 {
            self.stamps.fill(0);
            (self.plain, self.based, self.last) = (0, 0, 0);
        }
        if self.plain == 0 || !self.assignment.is_same(assignment) {
            self.last += 1;
            self.plain = self.last;
        }
        // The newest storage is the one that the next call most likely brings.
        self.assignment = assignment.clone();
        if has_base {
            self.last += 1;
            self.based = self.last;
        }
        if self.values.len() < len {
            let len = len.next_power_of_two();
            self.values.resize(len, 0);
            self.stamps.resize(len, 0);
        }
    }
}

impl Pool {
    /// Evaluates a term. A select past the end of a table gives 0.
    pub fn eval(&mut self, e: Expr, assignment: &Assignment, addresses: &dyn AddressMap) -> u128 {
        if let Kind::Const(v) = self.kind(e) {
            return v;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.begin(assignment, self.len(), self.has_base(e));
        let v = Evaluation {
            pool: self,
            assignment,
            addresses,
        }
        .run(&mut scratch, e);
        self.scratch = scratch;
        v
    }
}

struct Evaluation<'a> {
    pool: &'a Pool,
    assignment: &'a Assignment,
    addresses: &'a dyn AddressMap,
}

impl Evaluation<'_> {
    fn run(&self, s: &mut Scratch, root: Expr) -> u128 {
        if let Some(v) = self.known(s, root) {
            return v;
        }
        debug_assert!(s.stack.is_empty());
        s.stack.push(EvaluationTask::Term(root));
        while let Some(task) = s.stack.pop() {
            match task {
                EvaluationTask::Term(e) => self.term(s, e),
                EvaluationTask::Walk {
                    select,
                    index,
                    array,
                } => self.walk(s, select, index, array),
            }
        }
        s.values[root.index()]
    }

    /// Returns the value, if it needs no computation.
    #[inline]
    fn known(&self, s: &Scratch, e: Expr) -> Option<u128> {
        let n = &self.pool.nodes[e.index()];
        if let Kind::Const(v) = n.kind {
            return Some(v);
        }
        let stamp = if n.properties.has_base {
            s.based
        } else {
            s.plain
        };
        (s.stamps[e.index()] == stamp).then(|| s.values[e.index()])
    }

    #[inline]
    fn set(&self, s: &mut Scratch, e: Expr, value: u128) {
        s.stamps[e.index()] = if self.pool.nodes[e.index()].properties.has_base {
            s.based
        } else {
            s.plain
        };
        s.values[e.index()] = value;
    }

    /// Computes `e`, or pushes it back on the stack below the operands that it waits for.
    fn term(&self, s: &mut Scratch, e: Expr) {
        if self.known(s, e).is_some() {
            return;
        }
        let n = &self.pool.nodes[e.index()];
        let w = n.width;
        let width = |x: Expr| self.pool.nodes[x.index()].width;
        // The operands' values; when one is missing, the term waits for it.
        macro_rules! need {
            ($($x:ident),+) => {
                match ($(self.known(s, $x)),+) {
                    need!(@some $($x),+) => ($($x),+),
                    _ => {
                        s.stack.push(EvaluationTask::Term(e));
                        $(s.stack.push(EvaluationTask::Term($x));)+
                        return;
                    }
                }
            };
            (@some $x:ident) => { Some($x) };
            (@some $($x:ident),+) => { ($(Some($x)),+) };
        }
        let v = match n.kind {
            Kind::Const(v) => v,
            Kind::Var(var) => self.assignment.get(var) & mask(w),
            Kind::Base { object, .. } => self.addresses.address(object) as u128,
            Kind::Un(op, a) => {
                let wa = width(a);
                un(op, wa, need!(a))
            }
            Kind::Bin(op, a, b) => {
                let wa = width(a);
                let (a, b) = need!(a, b);
                bin(op, wa, a, b)
            }
            Kind::Concat { hi, lo } => {
                let wl = width(lo);
                let (hi, lo) = need!(hi, lo);
                hi << wl | lo
            }
            Kind::Extract { of, lo } => (need!(of) >> lo) & mask(w),
            Kind::ZExt(a) => need!(a),
            Kind::SExt(a) => {
                let wa = width(a);
                sign_extend(need!(a), wa) as u128 & mask(w)
            }
            Kind::Ite { cond, then, other } => {
                let branch = if need!(cond) != 0 { then } else { other };
                need!(branch)
            }
            Kind::Select { array, index } => {
                let index = need!(index);
                return self.walk(s, e, index, array);
            }
            Kind::FCast(op, a) => {
                let wa = width(a);
                fcast(op, wa, w, need!(a))
            }
            Kind::Fma(a, b, c) => {
                let (a, b, c) = need!(a, b, c);
                fma(w, a, b, c)
            }
        };
        debug_assert_eq!(v & !mask(w), 0, "{:?} gave more than {w} bits", n.kind);
        self.set(s, e, v);
    }

    /// Finds the newest store at `index`, one task per store index that has to be computed first.
    fn walk(&self, s: &mut Scratch, select: Expr, index: u128, mut array: Array) {
        let element = loop {
            match &self.pool.arrays[array.index()].kind {
                ArrayKind::Table(elems) => {
                    match elems.get(index.min(usize::MAX as u128) as usize) {
                        Some(e) => break *e,
                        None => return self.set(s, select, 0),
                    }
                }
                ArrayKind::Store {
                    array: below,
                    index: at,
                    value,
                } => match self.known(s, *at) {
                    Some(at) if at == index => break *value,
                    Some(_) => array = *below,
                    None => {
                        s.stack.push(EvaluationTask::Walk {
                            select,
                            index,
                            array,
                        });
                        s.stack.push(EvaluationTask::Term(*at));
                        return;
                    }
                },
            }
        };
        match self.known(s, element) {
            Some(v) => self.set(s, select, v),
            None => {
                s.stack.push(EvaluationTask::Walk {
                    select,
                    index,
                    array,
                });
                s.stack.push(EvaluationTask::Term(element));
            }
        }
    }
}

#[cfg(test)]
#[path = "eval_tests.rs"]
mod tests;
