//! Stage that decides queries over variables of few values by evaluation.
//!
//! For each term over a single variable of at most ten bits, the set of values that satisfy it is
//! computed once. The sets of one variable are intersected; an empty intersection is `Unsat`. When
//! every term is of this kind, or when the remaining values have few combinations, the answer is
//! complete. Otherwise constraints that these sets imply are left out (a text that is no `null` is
//! no `null` as soon as its first letter is known), which may leave fewer variables to the goal,
//! and a few values of the goal's variable are tried on top of the hint.
//!
//! A search instance goes further: wider variables that the query bounds have their values listed,
//! too, and where combinations are too many to be kept, they are tried block by block.
//!
//! Pays on characters that are compared with sets of them; the search, on floating-point numbers
//! that few bits decide.

use super::{QueryLimit, Stage, StageOutcome, relevant};
use crate::{Answer, InterruptHandle, Query};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};
use symex_terms::{
    Array, ArrayKind, BatchEvaluation, BinOp, Expr, Kind, Pool, Symbol, TermOperand, UnOp, Var,
};

/// Width of the widest variable whose values are listed.
const MAX_BITS: u32 = 10;
/// Lane operations that a set of values may cost; remembered results cost nothing.
const MAX_WORK: usize = 60_000;
/// Number of lane operations that take as long as a unit of work.
const OPERATIONS_PER_UNIT: u64 = 100;
/// Number of values of the goal's variable that are tried on top of the hint.
const TRIES: usize = 8;
/// Number of lists of combinations that are kept. A path repeats queries with the same sets of
/// values.
const MAX_GRIDS: usize = 8;
/// Depth to which conjunctions and disjunctions are examined.
const DEPTH: u32 = 64;
/// Words of remembered values of terms at which they are cleared: 64 MiB.
const MAX_WORDS: usize = 8 << 20;

/// Budget of a query, and the methods tried within it.
struct EnumerationBudget {
    name: &'static str,
    /// Lane operations that an enumeration may cost; remembered results cost nothing.
    work: usize,
    /// Greatest number of combinations of values that are tried at once.
    combinations: usize,
    /// Limits of enumeration block by block, if it is tried.
    blocks: Option<BlockLimits>,
    /// Whether the values of wider variables are listed where the query bounds them.
    wide: bool,
}

/// Limits of an enumeration of more combinations than are kept.
struct BlockLimits {
    /// Lane operations that it may cost.
    work: usize,
    /// Operations of a query below which a solver is quicker.
    least: usize,
    /// Combinations of a block: values of some hundred terms stay in the processor's caches.
    size: usize,
}

const GLANCE: EnumerationBudget = EnumerationBudget {
    name: "small domain",
    work: MAX_WORK,
    combinations: 1024,
    blocks: None,
    wide: false,
};

const SEARCH: EnumerationBudget = EnumerationBudget {
    name: "enumeration",
    work: 1 << 24,
    combinations: 1 << 16,
    blocks: Some(BlockLimits {
        work: 1 << 28,
        least: 250,
        size: 1 << 12,
    }),
    wide: true,
};

/// The small domain stage: see the module.
pub struct SmallDomain {
    budget: &'static EnumerationBudget,
    /// Satisfying values of each term over one small variable. `None`: too much work.
    sets: FxHashMap<Expr, Option<Arc<ValueSet>>>,
    /// Evaluations over all values of a variable.
    lists: FxHashMap<Var, BatchEvaluation>,
    /// Size of all these evaluations, in words.
    words: usize,
    /// Evaluations over all combinations of values of several variables, most recently used last.
    grids: Vec<(Domains, BatchEvaluation)>,
    /// Wider variables whose values in the current query fit into `MAX_BITS` bits.
    bounded: FxHashSet<Var>,
    limit: QueryLimit,
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
        self.budget.name
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        self.make_room();
        if self.budget.wide {
            self.bounded = bounded(pool, query);
        }
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

    fn bound(&mut self, interrupt: &InterruptHandle, deadline: Option<Instant>, timeout: Duration) {
        self.limit.set(interrupt, deadline, timeout);
    }

    fn work(&self) -> u64 {
        self.operations as u64 / OPERATIONS_PER_UNIT
    }

    fn reset(&mut self) {
        *self = SmallDomain {
            limit: std::mem::take(&mut self.limit),
            operations: self.operations,
            ..Self::with(self.budget)
        };
    }
}

impl SmallDomain {
    /// Makes the instance for queries that cost less here than in most of the later stages.
    pub fn glance() -> Self {
        Self::with(&GLANCE)
    }

    /// Makes the instance for queries that only a solver could decide otherwise: floating-point
    /// numbers, mostly.
    pub fn search() -> Self {
        Self::with(&SEARCH)
    }

    fn with(budget: &'static EnumerationBudget) -> Self {
        SmallDomain {
            budget,
            sets: FxHashMap::default(),
            lists: FxHashMap::default(),
            words: 0,
            grids: Vec::new(),
            bounded: FxHashSet::default(),
            limit: QueryLimit::default(),
            operations: 0,
        }
    }

    /// Returns the width of a variable whose values are listed, or the width that its values have
    /// in the query.
    fn bits(&self, pool: &Pool, var: Var) -> Option<u32> {
        let width = pool.var_info(var).width;
        match width <= MAX_BITS {
            true => Some(width),
            false => self.bounded.contains(&var).then_some(MAX_BITS),
        }
    }

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
        let bits = self.bits(pool, var)?;
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
        let most = match &self.budget.blocks {
            Some(blocks) => blocks.work / blocks.least,
            None => self.budget.combinations,
        };
        let mut combinations = 1usize;
        let mut free = Vec::new();
        for var in query.vars(pool) {
            let len = match domains.iter().find(|d| d.0 == var) {
                Some(d) => d.1.len(),
                None => {
                    let bits = self.bits(pool, var)?;
                    free.push((var, bits));
                    1 << bits
                }
            };
            combinations = combinations.checked_mul(len).filter(|c| *c <= most)?;
        }
        let mut domains = domains.clone();
        let all = |(var, bits)| (var, ValueSet::of(bits, |_| true));
        domains.extend(free.into_iter().map(all));
        if combinations > self.budget.combinations {
            return self.enumerate_blocks(pool, query, &domains, combinations, others);
        }
        let number = match self.grids.iter().position(|grid| grid.0 == domains) {
            Some(known) => known,
            None => {
                let lanes = grid(pool, 0..combinations, &domains);
                self.grids.push((domains, lanes));
                self.grids.len() - 1
            }
        };
        self.grids[number..].rotate_left(1);
        if self.grids.len() > MAX_GRIDS {
            self.grids.remove(0);
        }
        let (domains, lanes) = self.grids.last_mut()?;
        let mut work = self.budget.work;
        let first = first(pool, lanes, combinations, others, &mut work);
        self.operations += self.budget.work - work;
        match first {
            Some(Some(number)) => Some(found(pool, query, domains, number)),
            Some(None) => Some(StageOutcome::Answer(Answer::Unsat)),
            None => {
                let domains = domains.clone();
                self.enumerate_blocks(pool, query, &domains, combinations, others)
            }
        }
    }

    fn enumerate_blocks(
        &mut self,
        pool: &mut Pool,
        query: &Query,
        domains: &Domains,
        combinations: usize,
        others: &[Expr],
    ) -> Option<StageOutcome> {
        let blocks = self.budget.blocks.as_ref()?;
        let (step, operations) =
            blocks.enumerate(pool, query, domains, combinations, others, &self.limit);
        self.operations += operations;
        step
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

impl BlockLimits {
    /// Tries all combinations of values, if the terms are worth it; returns also the number of
    /// operations.
    fn enumerate(
        &self,
        pool: &mut Pool,
        query: &Query,
        domains: &Domains,
        combinations: usize,
        others: &[Expr],
        limit: &QueryLimit,
    ) -> (Option<StageOutcome>, usize) {
        let mut spent = 0;
        if operations(pool, others, self.work / combinations).is_none_or(|n| n < self.least) {
            return (None, spent);
        }
        let end = limit.end();
        for start in (0..combinations).step_by(self.size) {
            if limit.is_over(end) {
                return (None, spent);
            }
            let block = start..combinations.min(start + self.size);
            let count = block.len();
            let mut lanes = grid(pool, block, domains);
            // As much as it takes: that was counted.
            let mut work = usize::MAX;
            let first = first(pool, &mut lanes, count, others, &mut work);
            spent += usize::MAX - work;
            match first {
                None => return (None, spent),
                Some(None) => {}
                Some(Some(number)) => {
                    return (Some(found(pool, query, domains, start + number)), spent);
                }
            }
        }
        (Some(StageOutcome::Answer(Answer::Unsat)), spent)
    }
}

/// Returns the wider variables whose values in a query fit into the listed width.
fn bounded(pool: &Pool, query: &Query) -> FxHashSet<Var> {
    let small = |(e, (_, most)): (Expr, (u128, u128))| match pool.kind(e) {
        Kind::Var(var) if most >> MAX_BITS == 0 => Some(var),
        _ => None,
    };
    query.bounds(pool).into_iter().filter_map(small).collect()
}

/// Returns the lane operations that some terms may cost, if they are at most `most`.
fn operations(pool: &Pool, terms: &[Expr], most: usize) -> Option<usize> {
    let mut seen = FxHashSet::default();
    let mut arrays = FxHashSet::default();
    let mut stack: Vec<TermOperand> = terms.iter().copied().map(TermOperand::Term).collect();
    let mut count = 0;
    while let Some(operand) = stack.pop() {
        match operand {
            TermOperand::Term(e) if pool.as_const(e).is_none() && seen.insert(e) => {
                count += 1;
                if let Kind::Select { array, .. } = pool.kind(e) {
                    count += stores(pool, array, most);
                }
                pool.operands(e, |operand| stack.push(operand));
            }
            TermOperand::Array(a) if arrays.insert(a) => {
                pool.array_operands(a, |operand| stack.push(operand));
            }
            _ => {}
        }
        if count > most {
            return None;
        }
    }
    Some(count)
}

/// Returns how many stores a select passes, counting up to `most`.
fn stores(pool: &Pool, mut array: Array, most: usize) -> usize {
    let below = std::iter::from_fn(|| match pool.array_kind(array) {
        ArrayKind::Store { array: below, .. } => {
            array = *below;
            Some(())
        }
        ArrayKind::Table(_) => None,
    });
    below.take(most).count()
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
fn grid(pool: &mut Pool, combinations: Range<usize>, domains: &Domains) -> BatchEvaluation {
    let mut stride = 1;
    let mut variables = Vec::new();
    for (var, set) in domains {
        let values: Vec<u128> = set.iter().collect();
        let value = |lane: usize| values[lane / stride % values.len()];
        let term = pool.term_of(*var);
        variables.push((term, combinations.clone().map(value).collect()));
        stride *= values.len();
    }
    BatchEvaluation::new(pool, combinations.len(), &variables)
}
