//! Stage that splits a query by the values of a word that has few, where that makes a hard query
//! easy.
//!
//! A scale, a shift or an index into a table of powers often has a dozen values, and with any of
//! them a product or quotient of two unknowns becomes one by a constant. The cases are decided by
//! stages of its own, without a solver. Values of the word that make no difference to its uses are
//! one case. If one case is left open, the query goes on restricted to that case.
//!
//! Pays on products with a power of ten that an input chooses (the first instance), and on numbers
//! read from as many bytes as an input says (the instance by places).

use super::congruence::{self, Congruence, Word};
use super::visit::visit_terms;
use super::walk::Walk;
use super::{Stage, StageOutcome, quick};
use crate::budget::Budget;
use crate::query::merge;
use crate::{Answer, Query};
use rustc_hash::{FxHashMap, FxHashSet};
use symex_terms::{Array, ArrayKind, Assignment, BinOp, Expr, Kind, NoAddresses, Pool};

/// Greatest number of values of the word.
const MAX_VALUES: usize = 256;
/// Greatest number of cases.
const MAX_CASES: usize = 32;
/// Number of cases that may be left open in vain.
const BUDGET: u64 = 2_000;

/// Kind of words to split by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    /// Words in a product or quotient of two unknowns.
    Factors,
    /// Those words, and also indices at which inputs are read, and words that choose between two
    /// terms.
    Places,
}

/// The case split stage: see the module.
pub struct CaseSplit {
    name: &'static str,
    by: By,
    /// Stages that decide the cases.
    stages: Vec<Box<dyn Stage>>,
    budget: Budget,
}

impl CaseSplit {
    /// Makes the stage that splits by factors, divisors and shifts.
    pub fn by_factors() -> CaseSplit {
        CaseSplit::new("case split", By::Factors)
    }

    /// Makes the stage that splits by factors, divisors and shifts, by indices into tables whose
    /// elements depend on inputs, such as bytes of a text, and by what chooses between two terms,
    /// such as the length of a copy. Diagrams decide most of the latter two at once.
    pub fn by_places() -> CaseSplit {
        CaseSplit::new("case split by places", By::Places)
    }

    fn new(name: &'static str, by: By) -> CaseSplit {
        CaseSplit {
            name,
            by,
            stages: quick([Box::new(Congruence::default()) as Box<dyn Stage>]),
            budget: Budget::new(MAX_CASES as u64, BUDGET),
        }
    }
}

/// A split: a word, and a representative value for each case.
struct Split {
    word: Word,
    /// Conditions that do not depend on the word alone.
    mixed: Vec<Expr>,
    cases: Vec<u128>,
}

impl Split {
    /// Finds the word to split a query by, if that is of use.
    fn of(pool: &mut Pool, query: &Query, by: By) -> Option<Split> {
        let mut conditions = query.constraints.to_vec();
        conditions.push(query.goal);
        let hard = hard_operands(pool, &conditions, by)?;
        let words = Word::all(pool, &conditions);
        let mut best: Option<Split> = None;
        for word in words {
            if !hard.iter().any(|e| word.decides(pool, *e)) {
                continue;
            }
            // The hard part is over soonest with the fewest cases.
            if let Some(split) = Split::by(pool, query, word, &conditions)
                && best
                    .as_ref()
                    .is_none_or(|b| split.cases.len() < b.cases.len())
            {
                best = Some(split);
            }
        }
        best
    }

    fn by(pool: &mut Pool, query: &Query, word: Word, conditions: &[Expr]) -> Option<Split> {
        let (own, mixed): (Vec<Expr>, Vec<Expr>) =
            conditions.iter().partition(|c| word.decides(pool, **c));
        let values = congruence::values(pool, &word, &own, MAX_VALUES)?;
        let uses = uses(pool, &word, &mixed)?;
        let mut seen: FxHashSet<Vec<u128>> = FxHashSet::default();
        let mut cases = Vec::new();
        // The hint's case first: paths mostly go on as they are.
        let hint = word.value(|v| query.hint.get(v));
        let hint = values.contains(&hint).then_some(hint);
        let mut assignment = Assignment::default();
        for value in hint.into_iter().chain(values) {
            word.inputs(value).for_each(|(v, x)| assignment.set(v, x));
            let eval = &mut |e: &Expr| pool.eval(*e, &assignment, &NoAddresses);
            if own.iter().any(|c| eval(c) != 1) {
                continue;
            }
            if seen.insert(uses.iter().map(eval).collect()) {
                cases.push(value);
            }
            if cases.len() > MAX_CASES {
                return None;
            }
        }
        Some(Split { word, mixed, cases })
    }

    /// Returns the conditions that are left in a case.
    fn residual(&self, pool: &mut Pool, value: u128) -> Vec<Expr> {
        let constants: Vec<(Expr, Expr)> = self
            .word
            .inputs(value)
            .map(|(v, x)| {
                let var = pool.term_of(v);
                (var, pool.constant(pool.width(var), x))
            })
            .collect();
        let map: FxHashMap<Expr, Expr> = constants.into_iter().collect();
        let mixed = self.mixed.iter();
        let mut left: Vec<Expr> = mixed.map(|c| pool.substitute(*c, &map)).collect();
        left.retain(|c| pool.as_const(*c) != Some(1));
        left
    }

    /// Makes the conditions that the word has a value.
    fn is(&self, pool: &mut Pool, value: u128) -> Vec<Expr> {
        let inputs: Vec<_> = self.word.inputs(value).collect();
        let mut equal = |(v, x)| {
            let var = pool.term_of(v);
            let x = pool.constant(pool.width(var), x);
            pool.eq(var, x)
        };
        inputs.into_iter().map(&mut equal).collect()
    }
}

/// Returns the operands of products, quotients and shifts of two non-constant terms, indices that
/// are read, and conditions that choose between two terms.
fn hard_operands(pool: &Pool, conditions: &[Expr], by: By) -> Option<Vec<Expr>> {
    let mut hard = Vec::new();
    visit_terms(pool, conditions, |e| {
        if let Kind::Bin(op, a, b) = pool.kind(e)
            && pool.as_const(a).is_none()
            && pool.as_const(b).is_none()
        {
            use BinOp::*;
            match op {
                Mul | UMulO | SMulO => hard.extend([a, b]),
                UDiv | URem | SDiv | SRem | Shl | LShr | AShr => hard.push(b),
                _ => {}
            }
        }
        if let Kind::Select { array, index } = pool.kind(e)
            && by == By::Places
            && !is_constant(pool, array)
        {
            hard.push(index);
        }
        if let Kind::Ite { cond, .. } = pool.kind(e)
            && by == By::Places
        {
            hard.push(cond);
        }
        true
    })?;
    (!hard.is_empty()).then_some(hard)
}

/// Reports whether a read from an array depends on the index alone.
fn is_constant(pool: &Pool, array: Array) -> bool {
    match pool.array_kind(array) {
        ArrayKind::Table(elements) => elements.iter().all(|e| pool.as_const(*e).is_some()),
        ArrayKind::Store { .. } => false,
    }
}

/// Returns all terms through which conditions depend on a word.
fn uses(pool: &Pool, word: &Word, conditions: &[Expr]) -> Option<Vec<Expr>> {
    let mut found = Vec::new();
    visit_terms(pool, conditions, |e| {
        let whole = !pool.support(e).is_empty() && word.decides(pool, e);
        if whole {
            found.push(e);
        }
        !whole
    })?;
    Some(found)
}

impl CaseSplit {
    fn decide(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        let Some(split) = Split::of(pool, query, self.by) else {
            return StageOutcome::Pass;
        };
        if !self.budget.admits() {
            return StageOutcome::Pass;
        }
        let (step, open) = self.ask_all(pool, query, &split);
        let helped = !matches!(step, StageOutcome::Pass);
        self.budget.settle(open as u64, helped);
        step
    }

    /// Decides the cases: returns the resulting step, and the number of cases left open.
    fn ask_all(&mut self, pool: &mut Pool, query: &Query, split: &Split) -> (StageOutcome, usize) {
        let mut open = Vec::new();
        for value in &split.cases {
            let mut left = split.residual(pool, *value);
            if left.iter().any(|c| pool.as_const(*c) == Some(0)) {
                continue;
            }
            // Which of them is the goal makes no difference.
            let goal = left.pop().unwrap_or_else(|| pool.bool(true));
            let inputs: Vec<_> = split.word.inputs(*value).collect();
            let hint = merge(query.hint, &inputs);
            let case = Query {
                constraints: &left,
                goal,
                hint: &hint,
                ..*query
            };
            match Walk::ask(&mut self.stages, pool, &case) {
                Some(Answer::Unsat) => {}
                Some(Answer::Sat(found)) => {
                    let found = merge(&found, &inputs);
                    match query.holds(pool, &found) {
                        true => return (StageOutcome::Answer(Answer::Sat(found)), open.len()),
                        false => open.push(*value),
                    }
                }
                _ => open.push(*value),
            }
        }
        let step = match open.as_slice() {
            [] => StageOutcome::Answer(Answer::Unsat),
            [only] => {
                let mut left = split.is(pool, *only);
                left.extend(split.residual(pool, *only));
                let goal = left.pop().expect("of the word at least");
                StageOutcome::Rewrite(left, goal)
            }
            _ => StageOutcome::Pass,
        };
        (step, open.len())
    }
}

impl Stage for CaseSplit {
    fn name(&self) -> &'static str {
        self.name
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        self.decide(pool, query)
    }

    fn work(&self) -> u64 {
        self.stages.iter().map(|stage| stage.work()).sum()
    }

    fn reset(&mut self) {
        self.stages.iter_mut().for_each(|stage| stage.reset());
        self.budget = CaseSplit::new(self.name, self.by).budget;
    }
}
