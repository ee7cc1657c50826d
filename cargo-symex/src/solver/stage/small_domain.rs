//! Decides by evaluation what few values can decide.
//!
//! For each term over a single variable of at most ten bits, the set of values that satisfy it is worked out once.
//! The sets of one variable meet; an empty meeting is `Unsat`. When every term is of this kind, or when the
//! combinations of the values left are few, the answer is complete. Otherwise a few values of the goal's variable
//! are tried on top of the hint.

use super::{Stage, Step};
use crate::expr::{
    Array, ArrayKind, Assignment, Expr, Kind, NoAddresses, Operand, Pool, Symbol, Var,
};
use crate::solver::{Answer, Query};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::sync::Arc;

/// The widest variable whose values are listed.
const MAX_BITS: u32 = 10;
/// Evaluations of nodes that a set of values, or an enumeration, may cost.
const MAX_WORK: usize = 60_000;
/// Combinations of values that are tried in all.
const MAX_COMBINATIONS: usize = 1024;
/// Values of the goal's variable that are tried on top of the hint.
const TRIES: usize = 8;

/// See the module.
#[derive(Default)]
pub struct SmallDomain {
    /// `None`: too much work.
    sets: FxHashMap<Expr, Option<Arc<ValueSet>>>,
}

/// Values of a variable, as a bit map.
#[derive(Clone, PartialEq, Eq, Debug)]
struct ValueSet(Vec<u64>);

impl ValueSet {
    fn of(bits: u32, mut holds: impl FnMut(u128) -> bool) -> Self {
        let mut map = vec![0u64; (1usize << bits).div_ceil(64)];
        for v in 0..1u128 << bits {
            if holds(v) {
                map[v as usize / 64] |= 1 << (v % 64);
            }
        }
        ValueSet(map)
    }

    fn meet(&mut self, other: &ValueSet) {
        for (a, b) in self.0.iter_mut().zip(&other.0) {
            *a &= b;
        }
    }

    fn contains(&self, v: u128) -> bool {
        self.0
            .get(v as usize / 64)
            .is_some_and(|w| w >> (v % 64) & 1 == 1)
    }

    fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    fn iter(&self) -> impl Iterator<Item = u128> {
        (0..self.0.len() as u128 * 64).filter(|v| self.contains(*v))
    }
}

impl Stage for SmallDomain {
    fn name(&self) -> &'static str {
        "small domain"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> Step {
        if query.has_base(pool) {
            return Step::Pass;
        }
        let mut domains: Vec<(Var, ValueSet)> = Vec::new();
        // Terms that say more than a set of values of one variable.
        let mut others = 0;
        for e in query.constraints.iter().chain([&query.goal]) {
            let Some((var, set)) = self.set(pool, *e) else {
                others += 1;
                continue;
            };
            match domains.iter_mut().find(|d| d.0 == var) {
                None => domains.push((var, (*set).clone())),
                Some(d) => d.1.meet(&set),
            }
        }
        if domains.iter().any(|d| d.1.len() == 0) {
            return Step::Answer(Answer::Unsat);
        }
        let mut start = query.hint.clone();
        for (var, set) in &domains {
            if !set.contains(start.get(*var)) {
                start.set(*var, set.iter().next().expect("not empty"));
            }
        }
        // With nothing but sets this is an answer; otherwise it is worth a try.
        if query.holds(pool, &start) {
            return Step::Answer(Answer::Sat(start));
        }
        debug_assert!(others > 0);
        self.enumerate(pool, query, domains)
            .unwrap_or_else(|| self.vary(pool, query))
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

impl SmallDomain {
    /// The variable of a term over a single small one, and the values of it that satisfy the term.
    fn set(&mut self, pool: &mut Pool, e: Expr) -> Option<(Var, Arc<ValueSet>)> {
        let [Symbol::Var(var)] = *pool.support(e) else {
            return None;
        };
        let bits = pool.var_info(var).width;
        if bits > MAX_BITS {
            return None;
        }
        if let Some(known) = self.sets.get(&e) {
            return known.clone().map(|s| (var, s));
        }
        let set = (size(pool, &[e], MAX_WORK >> bits).is_some()).then(|| {
            let mut assignment = Assignment::default();
            Arc::new(ValueSet::of(bits, |v| {
                assignment.set(var, v);
                pool.eval(e, &assignment, &NoAddresses) == 1
            }))
        });
        self.sets.insert(e, set.clone());
        set.map(|s| (var, s))
    }

    /// Tries all combinations of values, if they are few.
    fn enumerate(
        &self,
        pool: &mut Pool,
        query: &Query,
        mut domains: Vec<(Var, ValueSet)>,
    ) -> Option<Step> {
        let mut combinations = 1usize;
        for var in query.vars(pool) {
            let bits = pool.var_info(var).width;
            let len = match domains.iter().find(|d| d.0 == var) {
                Some(d) => d.1.len(),
                None if bits <= MAX_BITS => {
                    domains.push((var, ValueSet::of(bits, |_| true)));
                    1 << bits
                }
                None => return None,
            };
            combinations = combinations
                .checked_mul(len)
                .filter(|c| *c <= MAX_COMBINATIONS)?;
        }
        let mut roots = query.constraints.to_vec();
        roots.push(query.goal);
        size(pool, &roots, MAX_WORK / combinations)?;
        let values: Vec<(Var, Rc<[u128]>)> = domains
            .iter()
            .map(|d| (d.0, d.1.iter().collect()))
            .collect();
        let mut assignment = query.hint.clone();
        for mut number in 0..combinations {
            for (var, values) in &values {
                assignment.set(*var, values[number % values.len()]);
                number /= values.len();
            }
            if query.holds(pool, &assignment) {
                return Some(Step::Answer(Answer::Sat(assignment)));
            }
        }
        Some(Step::Answer(Answer::Unsat))
    }

    /// Tries other values of the goal's variable.
    fn vary(&mut self, pool: &mut Pool, query: &Query) -> Step {
        let Some((var, set)) = self.set(pool, query.goal) else {
            return Step::Pass;
        };
        let mut assignment = query.hint.clone();
        let len = set.len();
        // Spread over the set: the first values alone would often share a fault.
        for v in set.iter().step_by((len / TRIES).max(1)).take(TRIES) {
            assignment.set(var, v);
            if query.holds(pool, &assignment) {
                return Step::Answer(Answer::Sat(assignment));
            }
        }
        Step::Pass
    }
}

/// Number of distinct nodes below some terms, if it is at most `limit`. Elements of tables count little, as an
/// evaluation reads one of them.
fn size(pool: &Pool, roots: &[Expr], limit: usize) -> Option<usize> {
    let mut seen: FxHashSet<Expr> = FxHashSet::default();
    let mut arrays: FxHashSet<Array> = FxHashSet::default();
    let mut stack: Vec<Expr> = roots.to_vec();
    let mut stores = 0;
    while let Some(e) = stack.pop() {
        if !seen.insert(e) {
            continue;
        }
        if seen.len() + stores > limit {
            return None;
        }
        let mut array = match pool.kind(e) {
            Kind::Select { array, .. } => Some(array),
            _ => None,
        };
        pool.operands(e, |o| {
            if let Operand::Term(t) = o {
                stack.push(t);
            }
        });
        while let Some(a) = array.filter(|a| arrays.insert(*a)) {
            array = match pool.array_kind(a) {
                ArrayKind::Store {
                    array,
                    index,
                    value,
                } => {
                    stores += 1;
                    stack.extend([*index, *value]);
                    Some(*array)
                }
                ArrayKind::Table(elems) => {
                    stack.extend(
                        elems
                            .iter()
                            .copied()
                            .filter(|e| pool.as_const(*e).is_none()),
                    );
                    None
                }
            };
            if stack.len() > limit {
                return None;
            }
        }
    }
    Some(seen.len() + stores)
}
