//! Plan of a search: the order in which inputs are varied and conditions are evaluated, and what
//! that takes.
//!
//! Inputs are varied in nested loops, one level each. A term belongs to the level of the innermost
//! input that it depends on, and is computed there, once for all values of the inputs further in.
//! So the input that the fewest operations depend on is the innermost. At each level the conditions
//! that fail often and take few operations come first, as the first that fails ends it: how often
//! they fail is found out by evaluating them for some values.

use super::boxes::ValueBox;
use super::candidates::Candidates;
use super::float;
use rustc_hash::{FxHashMap, FxHashSet};
use symex_terms::{
    Array, ArrayKind, BatchEvaluation, BinOp, Expr, Kind, Pool, Symbol, TermOperand, UnOp, Var,
    Width,
};
use symex_types::splitmix::Random;

/// Greatest number of terms of a query.
const MAX_TERMS: usize = 2_000;
/// Greatest number of conditions.
const MAX_CONDITIONS: usize = 256;
/// Greatest number of elements of a table of constants.
const MAX_CONSTANTS: usize = 1 << 18;
/// Greatest number of stores, and of elements that are not constant, of an array that is read.
const MAX_CHOICES: usize = 64;
/// Greatest width of a word that has all operators.
const WORD: Width = 64;
/// Number of values for which the conditions are evaluated.
const SAMPLES: usize = 256;
/// Words of a set of samples.
const SET: usize = SAMPLES / 64;
/// Greatest work of their evaluation.
const SAMPLE_WORK: usize = 2 * MAX_TERMS * SAMPLES;

/// An array that is read: a table, and the stores into it.
pub(super) struct Reading {
    pub table: Array,
    /// Elements of the table; 0 for those that are not constant.
    pub constants: Vec<u64>,
    /// The other elements, with their indices.
    pub elements: Vec<(u32, Expr)>,
    /// Index and value of each store, the oldest first.
    pub stores: Vec<(Expr, Expr)>,
}

impl Reading {
    fn of(pool: &Pool, mut array: Array) -> Option<Reading> {
        let mut stores = Vec::new();
        let table = loop {
            match pool.array_kind(array) {
                ArrayKind::Table(elements) => break elements,
                ArrayKind::Store {
                    array: below,
                    index,
                    value,
                } => {
                    stores.push((*index, *value));
                    array = *below;
                }
            }
            if stores.len() > MAX_CHOICES {
                return None;
            }
        };
        if table.len() > MAX_CONSTANTS || table.iter().any(|e| pool.width(*e) > WORD) {
            return None;
        }
        let constant = |e: &Expr| pool.as_const(*e);
        let places = 0u32..;
        let others = places
            .zip(table.iter())
            .filter(|(_, e)| constant(e).is_none());
        let elements: Vec<_> = others.map(|(at, e)| (at, *e)).collect();
        stores.reverse();
        (elements.len() <= MAX_CHOICES).then(|| Reading {
            table: array,
            constants: table
                .iter()
                .map(|e| constant(e).unwrap_or(0) as u64)
                .collect(),
            elements,
            stores,
        })
    }

    /// Returns the terms on which a read depends besides its index.
    pub fn terms(&self) -> impl Iterator<Item = Expr> + '_ {
        let stores = self.stores.iter().flat_map(|(at, value)| [*at, *value]);
        self.elements.iter().map(|(_, e)| *e).chain(stores)
    }
}

/// The terms of a query, if all of them are supported.
pub(super) struct Terms {
    pub conditions: Vec<Expr>,
    /// All terms that are not constant, operands first.
    pub all: Vec<Expr>,
    /// Number of operations of each term itself.
    costs: FxHashMap<Expr, u64>,
    pub readings: FxHashMap<Array, Reading>,
}

impl Terms {
    /// Collects the terms of some conditions; `None` if they are too many, or if one is not
    /// supported.
    pub fn of(pool: &Pool, conditions: &[Expr]) -> Option<Terms> {
        let mut terms = Terms {
            conditions: conjuncts(pool, conditions)?,
            all: Vec::new(),
            costs: FxHashMap::default(),
            readings: FxHashMap::default(),
        };
        let mut stack: Vec<Expr> = terms.conditions.iter().rev().copied().collect();
        let mut missing = Vec::new();
        while let Some(e) = stack.pop() {
            if terms.costs.contains_key(&e) || pool.as_const(e).is_some() {
                continue;
            }
            if terms.all.len() == MAX_TERMS {
                return None;
            }
            if let Kind::Select { array, .. } = pool.kind(e)
                && !terms.readings.contains_key(&array)
            {
                terms.readings.insert(array, Reading::of(pool, array)?);
            }
            terms.operands(pool, e, |part| {
                if !terms.costs.contains_key(&part) && pool.as_const(part).is_none() {
                    missing.push(part);
                }
            });
            if missing.is_empty() {
                let cost = cost(pool, e, &terms.readings)?;
                terms.costs.insert(e, cost);
                terms.all.push(e);
            } else {
                stack.push(e);
                stack.append(&mut missing);
            }
        }
        Some(terms)
    }

    /// Calls `f` for each term on which a term depends directly.
    pub fn operands(&self, pool: &Pool, e: Expr, mut f: impl FnMut(Expr)) {
        pool.operands(e, |operand| match operand {
            TermOperand::Term(part) => f(part),
            TermOperand::Array(array) => self.readings[&array].terms().for_each(&mut f),
        });
    }

    /// Adds all terms below a term that are not yet among `done`, and returns what they cost.
    fn add(&self, pool: &Pool, root: Expr, done: &mut FxHashSet<Expr>) -> u64 {
        let mut cost = 0;
        let mut stack = vec![root];
        while let Some(e) = stack.pop() {
            if let Some(own) = self.costs.get(&e)
                && done.insert(e)
            {
                cost += own;
                self.operands(pool, e, |part| stack.push(part));
            }
        }
        cost
    }
}

/// Returns conditions that hold exactly if all of the given ones do, without conjunctions.
fn conjuncts(pool: &Pool, conditions: &[Expr]) -> Option<Vec<Expr>> {
    let mut parts = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack: Vec<Expr> = conditions.iter().rev().copied().collect();
    while let Some(e) = stack.pop() {
        match pool.kind(e) {
            Kind::Bin(BinOp::And, a, b) => stack.extend([b, a]),
            _ if seen.insert(e) => parts.push(e),
            _ => {}
        }
        if parts.len() > MAX_CONDITIONS {
            return None;
        }
    }
    Some(parts)
}

/// Returns the number of operations of a term without its operands, each about as long as an
/// addition; `None` if the term is not supported.
fn cost(pool: &Pool, e: Expr, readings: &FxHashMap<Array, Reading>) -> Option<u64> {
    let width = pool.width(e);
    let of_width = |width: Width| if width > WORD { 3 } else { 1 };
    Some(match pool.kind(e) {
        Kind::Const(_) | Kind::Var(_) => 0,
        Kind::Un(op, a) if op.is_float() => float::unary_cost(op, pool.width(a))?,
        Kind::Bin(op, a, _) if op.is_float() => float::binary_cost(op, pool.width(a))?,
        Kind::FCast(op, a) => float::cast_cost(op, pool.width(a), width)?,
        Kind::Un(UnOp::Not, _) => of_width(width),
        Kind::Un(UnOp::Popcount | UnOp::Clz | UnOp::Ctz, _) if width <= WORD => 3,
        Kind::Bin(op, a, b) => {
            let width = pool.width(a);
            match op {
                BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem if width <= WORD => {
                    let is_signed = matches!(op, BinOp::SDiv | BinOp::SRem);
                    let by = match pool.as_const(b) {
                        Some(v) if v.is_power_of_two() => 1,
                        Some(_) => 6,
                        None if width <= 32 => 20,
                        None => 30,
                    };
                    by + if is_signed { 4 } else { 0 }
                }
                BinOp::UMulO | BinOp::SMulO if width <= WORD => 6,
                BinOp::Mul => 2 * of_width(width),
                BinOp::Shl | BinOp::LShr | BinOp::AShr if pool.as_const(b).is_none() => {
                    4 * of_width(width)
                }
                BinOp::Add
                | BinOp::Sub
                | BinOp::And
                | BinOp::Or
                | BinOp::Xor
                | BinOp::Shl
                | BinOp::LShr
                | BinOp::AShr
                | BinOp::Eq
                | BinOp::ULt
                | BinOp::ULe
                | BinOp::SLt
                | BinOp::SLe => of_width(width),
                _ => return None,
            }
        }
        Kind::Concat { .. } | Kind::SExt(_) => 2 * of_width(width),
        Kind::Extract { of, .. } => of_width(pool.width(of)),
        Kind::ZExt(_) | Kind::Ite { .. } => of_width(width),
        Kind::Select { array, .. } if width <= WORD => {
            let reading = &readings[&array];
            4 + 2 * (reading.elements.len() + reading.stores.len()) as u64
        }
        _ => return None,
    })
}

/// One level of the nested loops.
#[derive(Default)]
pub(super) struct PlanLevel {
    /// The conditions that depend on no input further in, in the order of evaluation.
    pub conditions: Vec<Expr>,
    /// Terms that the levels further in need.
    pub hoisted: Vec<Expr>,
    /// Expected number of operations for one value of the input, with the levels further in.
    pub cost: f64,
}

/// Plan of a search: see the module.
pub(super) struct Plan {
    pub terms: Terms,
    /// The inputs, the outermost first.
    pub inputs: Vec<Candidates>,
    /// The loops over the inputs, one for each, in the same order.
    pub levels: Vec<PlanLevel>,
}

impl Plan {
    /// Makes the plan of a search for values of inputs, of which there is at least one, in boxes;
    /// `None` if some values of the conditions cannot be computed.
    pub fn new(
        pool: &Pool,
        terms: Terms,
        inputs: Vec<Candidates>,
        boxes: &[ValueBox],
    ) -> Option<Plan> {
        let level = levels(pool, &terms, &inputs);
        let samples = samples(pool, &terms, &inputs, boxes)?;
        let mut levels: Vec<PlanLevel> = inputs.iter().map(|_| PlanLevel::default()).collect();
        let mut alive = [u64::MAX; SET];
        let mut done = FxHashSet::default();
        // Expected operations for one value of each level's input, and the part of values that all
        // its conditions let through.
        let mut own = Vec::with_capacity(inputs.len());
        for (at, planned) in levels.iter_mut().enumerate() {
            let mut open: Vec<(Expr, u64, &[u64; SET])> = Vec::new();
            for (e, holds) in terms.conditions.iter().zip(&samples) {
                if level.get(e).copied().unwrap_or(0) == at {
                    open.push((*e, terms.add(pool, *e, &mut FxHashSet::default()), holds));
                }
            }
            // The loop itself.
            let (mut cost, mut passed) = (2.0, 1.0);
            while let Some(next) = best(&open, &alive) {
                let (e, _, holds) = open.remove(next);
                cost += passed * (1 + terms.add(pool, e, &mut done)) as f64;
                passed *= 1.0 - failing(&alive, holds);
                alive.iter_mut().zip(holds).for_each(|(a, h)| *a &= h);
                planned.conditions.push(e);
            }
            let needed = needed(pool, &terms, &level, at);
            planned.hoisted = needed.into_iter().filter(|e| !done.contains(e)).collect();
            let add = |e: &Expr| terms.add(pool, *e, &mut done);
            cost += passed * planned.hoisted.iter().map(add).sum::<u64>() as f64;
            own.push((cost, passed));
        }
        for at in (0..levels.len()).rev() {
            let inner = match levels.get(at + 1) {
                Some(inner) => inner.cost * inputs[at + 1].count as f64,
                None => 0.0,
            };
            let (cost, passed) = own[at];
            levels[at].cost = cost + passed * inner;
        }
        Some(Plan {
            terms,
            inputs,
            levels,
        })
    }

    /// Returns the expected number of operations for one combination of values.
    pub fn cost(&self) -> f64 {
        let inner: f64 = self.inputs[1..].iter().map(|i| i.count as f64).product();
        self.levels[0].cost / inner
    }
}

/// Sorts inputs: the innermost, last, is the one that the fewest operations depend on, and so on.
pub(super) fn ordered(pool: &Pool, terms: &Terms, mut open: Vec<Candidates>) -> Vec<Candidates> {
    let mut left: Vec<(Vec<Var>, u64)> = Vec::new();
    for e in &terms.all {
        let vars = pool.support(*e).iter().filter_map(|s| match s {
            Symbol::Var(v) => Some(*v),
            Symbol::Base(_) => None,
        });
        left.push((vars.collect(), terms.costs[e]));
    }
    let mut sorted = Vec::with_capacity(open.len());
    let operations = |left: &[(Vec<Var>, u64)], input: &Candidates| -> u64 {
        let dependent = left.iter().filter(|(vars, _)| vars.contains(&input.var));
        dependent.map(|(_, cost)| cost).sum()
    };
    while let Some(next) = (0..open.len()).min_by_key(|i| {
        let input = &open[*i];
        (operations(&left, input), u64::MAX - input.count, input.var)
    }) {
        let input = open.remove(next);
        left.retain(|(vars, _)| !vars.contains(&input.var));
        sorted.push(input);
    }
    sorted.reverse();
    sorted
}

/// Returns the level of each term.
fn levels(pool: &Pool, terms: &Terms, inputs: &[Candidates]) -> FxHashMap<Expr, usize> {
    let mut levels: FxHashMap<Expr, usize> = FxHashMap::default();
    for (at, input) in inputs.iter().enumerate() {
        levels.insert(input.term, at);
    }
    for e in &terms.all {
        let mut level = levels.get(e).copied().unwrap_or(0);
        terms.operands(pool, *e, |part| {
            level = level.max(levels.get(&part).copied().unwrap_or(0));
        });
        levels.insert(*e, level);
    }
    levels
}

/// Returns the terms of a level that terms of levels further in have as operands.
fn needed(pool: &Pool, terms: &Terms, level: &FxHashMap<Expr, usize>, at: usize) -> Vec<Expr> {
    let mut needed = Vec::new();
    let mut seen = FxHashSet::default();
    for e in terms.all.iter().filter(|e| level[*e] > at) {
        terms.operands(pool, *e, |part| {
            if level.get(&part) == Some(&at) && seen.insert(part) {
                needed.push(part);
            }
        });
    }
    needed
}

/// Evaluates the conditions for some values of the inputs in boxes; returns the set of those for
/// which each holds.
fn samples(
    pool: &Pool,
    terms: &Terms,
    inputs: &[Candidates],
    boxes: &[ValueBox],
) -> Option<Vec<[u64; SET]>> {
    let mut random = Random::new(1);
    let mut given: Vec<(Expr, Vec<u128>)> = Vec::new();
    given.extend(
        inputs
            .iter()
            .map(|input| (input.term, Vec::with_capacity(SAMPLES))),
    );
    for _ in 0..SAMPLES {
        let part = &boxes[random.below(boxes.len() as u64) as usize];
        for ((_, values), (input, [first, last])) in given.iter_mut().zip(part.of(inputs)) {
            let at = first + random.below(last - first + 1);
            values.push(input.value(at).into());
        }
    }
    let mut batch = BatchEvaluation::new(pool, SAMPLES, &given);
    let mut work = SAMPLE_WORK;
    let mut sets = Vec::with_capacity(terms.conditions.len());
    for e in &terms.conditions {
        let mut set = [0; SET];
        for (at, value) in batch.values(pool, *e, &mut work)?.enumerate() {
            set[at / 64] |= u64::from(value == 1) << (at % 64);
        }
        sets.push(set);
    }
    Some(sets)
}

/// Returns the expected part of the values let through so far for which a condition fails.
fn failing(alive: &[u64; SET], holds: &[u64; SET]) -> f64 {
    let count = |set: &mut dyn Iterator<Item = u64>| set.map(|w| w.count_ones()).sum::<u32>();
    let all = count(&mut alive.iter().copied());
    let fail = count(&mut alive.iter().zip(holds).map(|(a, h)| a & !h));
    // As if half a sample more had failed, and half a sample had not.
    (f64::from(fail) + 0.5) / (f64::from(all) + 1.0)
}

/// Returns the position of the condition that ends most evaluations for its operations.
fn best(open: &[(Expr, u64, &[u64; SET])], alive: &[u64; SET]) -> Option<usize> {
    let price = |i: usize| {
        let (_, cost, holds) = open[i];
        (cost + 1) as f64 / failing(alive, holds)
    };
    (0..open.len()).min_by(|a, b| price(*a).total_cmp(&price(*b)))
}
