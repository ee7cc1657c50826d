//! Stage that decides queries over variables of few values by evaluation.
//!
//! For each term over a single variable of at most ten bits, the set of values that satisfy it is
//! computed once. The sets of one variable are intersected; an empty intersection is `Unsat`. When
//! every term is of this kind, or when the remaining values have few combinations, the answer is
//! complete. Otherwise constraints that these sets imply are left out (a text that is no `null` is
//! no `null` as soon as its first letter is known), which may leave fewer variables to the goal,
//! and a few values of the goal's variable are tried on top of the hint.
//!
//! Pays on characters that are compared with sets of them.

use super::{Stage, StageOutcome, relevant};
use crate::{Answer, Query};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use symex_terms::{BatchEvaluation, BinOp, Expr, Kind, Pool, Symbol, UnOp, Var, Width};

/// Width of the widest variable whose values are listed.
const MAX_BITS: u32 = 10;
/// Lane operations that a set of values may cost; remembered results cost nothing.
const MAX_WORK: usize = 60_000;
/// Number of lane operations that take as long as a unit of work.
const OPERATIONS_PER_UNIT: u64 = 100;
/// Greatest number of combinations of values that are tried.
const COMBINATIONS: usize = 1024;
/// Number of values of the goal's variable that are tried on top of the hint.
const TRIES: usize = 8;
/// Number of lists of combinations that are kept. A path repeats queries with the same sets of
/// values.
const MAX_GRIDS: usize = 8;
/// Depth to which conjunctions and disjunctions are examined.
const DEPTH: u32 = 64;
/// Words of remembered values of terms at which they are cleared: 64 MiB.
const MAX_WORDS: usize = 8 << 20;

/// The small domain stage: see the module.
#[derive(Default)]
pub struct SmallDomain {
    /// Satisfying values of each term over one small variable. `None`: too much work.
    sets: FxHashMap<Expr, Option<Arc<ValueSet>>>,
    /// Evaluations over all values of a variable.
    lists: FxHashMap<Var, BatchEvaluation>,
    /// Size of all these evaluations, in words.
    words: usize,
    /// Evaluations over all combinations of values of several variables, most recently used last.
    grids: Vec<(Domains, BatchEvaluation)>,
    /// Number of lane operations so far.
    operations: usize,
}

/// Remaining values of each variable.
type Domains = Vec<(Var, ValueSet)>;

/// Set of values of a variable, as a bit map.
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
        let word = usize::try_from(v / 64).ok().and_then(|at| self.0.get(at));
        word.is_some_and(|w| w >> (v % 64) & 1 == 1)
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

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        self.make_room();
        let (domains, others) = self.domains(pool, query);
        if domains.iter().any(|d| d.1.len() == 0) {
            return StageOutcome::Answer(Answer::Unsat);
        }
        let mut start = query.hint.clone();
        for (var, set) in &domains {
            if !set.contains(start.get(*var)) {
                start.set(*var, set.iter().next().expect("not empty"));
            }
        }
        // With nothing but sets this is an answer; otherwise it is worth a try.
        if query.holds(pool, &start) {
            return StageOutcome::Answer(Answer::Sat(start));
        }
        debug_assert!(!others.is_empty());
        if let Some(step) = self.enumerate(pool, query, &domains, &others) {
            return step;
        }
        let Some(constraints) = self.without_implied(pool, query, &domains, &others) else {
            return self.vary(pool, query);
        };
        let narrow = Query {
            constraints: &constraints,
            ..*query
        };
        let (domains, others) = self.domains(pool, &narrow);
        let step = self.enumerate(pool, &narrow, &domains, &others);
        match step.unwrap_or_else(|| self.vary(pool, &narrow)) {
            StageOutcome::Pass => StageOutcome::Rewrite(constraints, query.goal),
            step => step,
        }
    }

    fn work(&self) -> u64 {
        self.operations as u64 / OPERATIONS_PER_UNIT
    }

    fn reset(&mut self) {
        *self = SmallDomain {
            operations: self.operations,
            ..SmallDomain::default()
        };
    }
}

impl SmallDomain {
    /// Returns the remaining values of each variable under the terms over it alone, and the other
    /// terms.
    fn domains(&mut self, pool: &mut Pool, query: &Query) -> (Domains, Vec<Expr>) {
        let mut domains = Domains::new();
        let mut others = Vec::new();
        for e in query.constraints.iter().chain([&query.goal]) {
            let Some((var, set)) = self.set(pool, *e) else {
                others.push(*e);
                continue;
            };
            match domains.iter_mut().find(|d| d.0 == var) {
                None => domains.push((var, (*set).clone())),
                Some(d) => d.1.meet(&set),
            }
        }
        (domains, others)
    }

    /// Returns the constraints relevant to the goal, without those that hold for all remaining
    /// values; `None` if they have as many variables.
    fn without_implied(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        domains: &Domains,
        others: &[Expr],
    ) -> Option<Vec<Expr>> {
        let mut implied = Vec::new();
        let mut known = FxHashMap::default();
        for e in others {
            // Not the goal, of which the sets may say something themselves.
            if *e != query.goal && self.truth(pool, *e, domains, DEPTH, &mut known) == Some(true) {
                implied.push(*e);
            }
        }
        if implied.is_empty() {
            return None;
        }
        let kept = query.constraints.iter().copied();
        let kept: Vec<Expr> = kept.filter(|e| !implied.contains(e)).collect();
        let relevant = relevant(pool, query, &kept, query.goal)?;
        let narrow = Query {
            constraints: &relevant,
            ..*query
        };
        (narrow.vars(pool).len() < query.vars(pool).len()).then_some(relevant)
    }

    /// Returns the value of a condition, if its parts show that it is the same for all remaining
    /// values. Parts occur many times in conditions of accesses to several objects, and are
    /// evaluated once: `known`.
    fn truth(
        &mut self,
        pool: &mut Pool,
        e: Expr,
        domains: &Domains,
        depth: u32,
        known: &mut FxHashMap<Expr, Option<bool>>,
    ) -> Option<bool> {
        if depth == 0 || pool.width(e) != 1 {
            return None;
        }
        if let Some(truth) = known.get(&e) {
            return *truth;
        }
        let mut part =
            |this: &mut Self, pool: &mut Pool, e| this.truth(pool, e, domains, depth - 1, known);
        let truth = match pool.kind(e) {
            Kind::Const(value) => Some(value == 1),
            Kind::Un(UnOp::Not, inner) => part(self, pool, inner).map(|t| !t),
            Kind::Bin(op @ (BinOp::And | BinOp::Or), a, b) => {
                let decides = op == BinOp::Or;
                match part(self, pool, a) {
                    Some(a) if a == decides => Some(a),
                    a => match (a, part(self, pool, b)) {
                        (_, Some(b)) if b == decides => Some(b),
                        (Some(_), Some(_)) => Some(!decides),
                        _ => None,
                    },
                }
            }
            _ => self.truth_of_set(pool, e, domains),
        };
        known.insert(e, truth);
        truth
    }

    /// Returns the value as [`SmallDomain::truth`] does, for a term over a single small variable.
    fn truth_of_set(&mut self, pool: &mut Pool, e: Expr, domains: &Domains) -> Option<bool> {
        let (var, set) = self.set(pool, e)?;
        let domain = &domains.iter().find(|d| d.0 == var)?.1;
        let mut both = domain.clone();
        both.meet(&set);
        if both.len() == 0 {
            return Some(false);
        }
        (both == *domain).then_some(true)
    }

    /// Returns the variable of a term over a single small one, and its values that satisfy the
    /// term.
    fn set(&mut self, pool: &mut Pool, e: Expr) -> Option<(Var, Arc<ValueSet>)> {
        let [Symbol::Var(var)] = *pool.support(e) else {
            return None;
        };
        let bits = bits(pool, var)?;
        if let Some(known) = self.sets.get(&e) {
            return known.clone().map(|s| (var, s));
        }
        let list = self.lists.entry(var).or_insert_with(|| {
            let term = pool.term_of(var);
            self.words += 1 << bits;
            BatchEvaluation::new(pool, 1 << bits, &[(term, (0..1 << bits).collect())])
        });
        let mut work = MAX_WORK;
        let before = list.words();
        let set = list.values(pool, e, &mut work).map(|mut values| {
            let set = ValueSet::of(bits, |_| values.next() == Some(1));
            Arc::new(set)
        });
        self.words += list.words() - before;
        self.operations += MAX_WORK - work;
        self.sets.insert(e, set.clone());
        set.map(|s| (var, s))
    }

    /// Tries all combinations of values, if they are few. The values of each variable are known to
    /// satisfy the terms over it alone; `others` are the other terms.
    fn enumerate(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        domains: &Domains,
        others: &[Expr],
    ) -> Option<StageOutcome> {
        let mut combinations = 1usize;
        let mut free = Vec::new();
        for var in query.vars(pool) {
            let len = match domains.iter().find(|d| d.0 == var) {
                Some(d) => d.1.len(),
                None => {
                    let bits = bits(pool, var)?;
                    free.push((var, bits));
                    1 << bits
                }
            };
            combinations = combinations
                .checked_mul(len)
                .filter(|c| *c <= COMBINATIONS)?;
        }
        let mut domains = domains.clone();
        let all = |(var, bits)| (var, ValueSet::of(bits, |_| true));
        domains.extend(free.into_iter().map(all));
        let number = match self.grids.iter().position(|grid| grid.0 == domains) {
            Some(known) => known,
            None => {
                let lanes = grid(pool, combinations, &domains);
                self.grids.push((domains, lanes));
                self.grids.len() - 1
            }
        };
        self.grids[number..].rotate_left(1);
        if self.grids.len() > MAX_GRIDS {
            self.grids.remove(0);
        }
        let (domains, lanes) = self.grids.last_mut()?;
        let mut work = MAX_WORK;
        let first = first(pool, lanes, combinations, others, &mut work);
        self.operations += MAX_WORK - work;
        Some(match first? {
            Some(number) => found(pool, query, domains, number),
            None => StageOutcome::Answer(Answer::Unsat),
        })
    }

    /// Clears remembered values if there are too many.
    fn make_room(&mut self) {
        let of_grids: usize = self.grids.iter().map(|grid| grid.1.words()).sum();
        if self.words + of_grids > MAX_WORDS {
            self.lists.clear();
            self.words = 0;
            self.grids.clear();
        }
    }

    /// Tries other values of the goal's variable.
    fn vary(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        let Some((var, set)) = self.set(pool, query.goal) else {
            return StageOutcome::Pass;
        };
        let mut assignment = query.hint.clone();
        let len = set.len();
        // Spread over the set: the first values alone would often share a fault.
        for v in set.iter().step_by((len / TRIES).max(1)).take(TRIES) {
            assignment.set(var, v);
            if query.holds(pool, &assignment) {
                return StageOutcome::Answer(Answer::Sat(assignment));
            }
        }
        StageOutcome::Pass
    }
}

/// Returns the width of a variable, if its values are listed.
fn bits(pool: &Pool, var: Var) -> Option<Width> {
    let width = pool.var_info(var).width;
    (width <= MAX_BITS).then_some(width)
}

/// Returns the first lane in which all terms are 1; `None` if that is too much work.
fn first(
    pool: &Pool,
    lanes: &mut BatchEvaluation,
    count: usize,
    terms: &[Expr],
    work: &mut usize,
) -> Option<Option<usize>> {
    let mut left = vec![true; count];
    for e in terms {
        let values = lanes.values(pool, *e, work)?;
        left.iter_mut().zip(values).for_each(|(l, v)| *l &= v == 1);
        if !left.contains(&true) {
            return Some(None);
        }
    }
    Some(left.iter().position(|left| *left))
}

/// Makes the answer of a combination of values.
fn found(pool: &mut Pool, query: &Query, domains: &Domains, mut number: usize) -> StageOutcome {
    let mut assignment = query.hint.clone();
    for (var, set) in domains {
        let len = set.len();
        let value = set.iter().nth(number % len);
        assignment.set(*var, value.expect("a set has as many values as its length"));
        number /= len;
    }
    debug_assert!(query.holds(pool, &assignment));
    StageOutcome::Answer(Answer::Sat(assignment))
}

/// Makes an evaluation with a lane for each of some combinations of values; those of the first
/// variable change fastest.
fn grid(pool: &mut Pool, combinations: usize, domains: &Domains) -> BatchEvaluation {
    let mut stride = 1;
    let mut variables = Vec::new();
    for (var, set) in domains {
        let values: Vec<u128> = set.iter().collect();
        let value = |lane: usize| values[lane / stride % values.len()];
        let term = pool.term_of(*var);
        variables.push((term, (0..combinations).map(value).collect()));
        stride *= values.len();
    }
    BatchEvaluation::new(pool, combinations, &variables)
}
