//! Stage that decides comparisons of sums in which quotients and remainders cancel out.
//!
//! A number that is printed and read again, or a time that is split into hours, minutes and
//! seconds and put together again, comes back as a sum of quotients and remainders of itself: `x /
//! 100 * 100 + x / 10 % 10 * 10 + x % 10`. For a solver each of the divisions is a circuit. As an
//! integer, a remainder is `x - x / c * c`, a quotient of a quotient is one by the product, and a
//! digit from a table of digits is a remainder: what is left of the sum is `x`.
//!
//! So the terms of a goal are read as linear forms over the integers (`reader`), whose atoms are
//! quotients by constants and whatever is not linear (`forms`). A sum is an integer, and not one
//! modulo a power of two, only where its range says that it does not overflow; the ranges of atoms
//! are those that the constraints leave (`interval`), and quotients that make up a remainder are
//! taken together. The product of a quotient and its divisor is the dividend less the remainder. A
//! comparison is decided where the difference of its sides has a range that decides it, and
//! otherwise written with the smaller terms that the forms have.
//!
//! Pays on round trips through decimal digits, and on dates and times.

mod digits;
mod forms;
mod reader;

use super::{Stage, StageOutcome, interval};
use crate::budget::Budget;
use crate::ledger::{Ledger, Shape};
use crate::{Answer, Query};
use reader::Reader;
use rustc_hash::{FxHashMap, FxHashSet};
use symex_terms::{BinOp, Domain, Expr, Kind, Pool, TermOperand, connected};

/// Greatest number of terms of a goal.
const MOST_TERMS: usize = 2_000;
/// Greatest number of constraints that give ranges.
const MOST_CONSTRAINTS: usize = 200;
/// Work of one query, in steps.
const WORK: u64 = 20_000;
/// Work on constraints in vain after which the stage rests from them, in steps.
const READING: u64 = 1_000_000;
/// Number of remembered goals at which they are forgotten.
const MAX_KNOWN: usize = 1 << 18;

/// The cancellation stage: see the module.
pub struct Cancellation {
    /// Whether something may cancel in a goal.
    promising: FxHashMap<Expr, bool>,
    /// Constraints with smaller terms, if they have some.
    smaller: FxHashMap<Expr, Option<Expr>>,
    /// What reading constraints may cost, in steps.
    reading: Budget,
    /// What the stage brought, by the shape of queries.
    ledger: Ledger,
    /// Number of steps so far.
    steps: u64,
}

impl Default for Cancellation {
    fn default() -> Cancellation {
        Cancellation {
            promising: FxHashMap::default(),
            smaller: FxHashMap::default(),
            reading: Budget::new(WORK, READING),
            ledger: Ledger::default(),
            steps: 0,
        }
    }
}

impl Stage for Cancellation {
    fn name(&self) -> &'static str {
        "cancellation"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) {
            return StageOutcome::Pass;
        }
        if !self.is_promising(pool, query.goal) {
            return self.with_smaller_constraints(pool, query);
        }
        let shape = Shape::of(pool, query);
        let Some(allowance) = self.ledger.allowance(shape, WORK) else {
            return StageOutcome::Pass;
        };
        let before = self.steps;
        let outcome = self.decide(pool, query, allowance);
        let answered = !matches!(outcome, StageOutcome::Pass);
        let steps = self.steps - before;
        self.ledger.settle(shape, steps, allowance, answered);
        outcome
    }

    fn work(&self) -> u64 {
        self.steps
    }

    fn reset(&mut self) {
        *self = Cancellation {
            steps: self.steps,
            ..Default::default()
        };
    }
}

impl Cancellation {
    /// Reports whether a goal compares something with quotients, or digits, in it.
    fn is_promising(&mut self, pool: &Pool, goal: Expr) -> bool {
        if self.promising.len() > MAX_KNOWN {
            self.promising.clear();
        }
        if let Some(known) = self.promising.get(&goal) {
            return *known;
        }
        let (mut sums, mut quotients) = (false, false);
        let mut seen = FxHashSet::default();
        let mut waiting = vec![goal];
        while let Some(term) = waiting.pop() {
            if !seen.insert(term) {
                continue;
            }
            if seen.len() > MOST_TERMS {
                sums = false;
                break;
            }
            match pool.kind(term) {
                kind if kind.is_float() => {
                    sums = false;
                    break;
                }
                Kind::Bin(BinOp::UDiv | BinOp::URem | BinOp::SDiv | BinOp::SRem, ..)
                | Kind::Select { .. } => quotients = true,
                Kind::Extract { of, lo } if lo > 0 => {
                    quotients |= matches!(pool.kind(of), Kind::Bin(BinOp::Mul, ..));
                }
                Kind::Bin(
                    BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::UMulO | BinOp::SMulO,
                    ..,
                ) => sums = true,
                _ => {}
            }
            pool.operands(term, |operand| {
                if let TermOperand::Term(part) = operand {
                    waiting.push(part);
                }
            });
        }
        self.promising.insert(goal, sums && quotients);
        sums && quotients
    }

    fn decide(&mut self, pool: &mut Pool, query: &Query, allowance: u64) -> StageOutcome {
        let (own, _) = connected(pool, query.constraints, query.goal);
        // The last ones are about what the path does now.
        let own = &own[own.len().saturating_sub(MOST_CONSTRAINTS)..];
        let Some((ranges, work)) = interval::ranges(pool, own) else {
            return StageOutcome::Answer(Answer::Unsat);
        };
        self.steps += work;
        let mut reader = Reader::new(pool, own, ranges, allowance);
        let decided = reader.truth(pool, query.goal);
        let rewritten = match decided {
            None => reader.rewritten(pool, query.goal),
            Some(_) => None,
        };
        let left = allowance.saturating_sub(reader.steps());
        self.steps += reader.steps();
        match decided {
            Some(false) => return StageOutcome::Answer(Answer::Unsat),
            Some(true) if query.holds(pool, query.hint) => {
                return StageOutcome::Answer(Answer::Sat(query.hint.clone()));
            }
            Some(true) => return StageOutcome::Pass,
            None => {}
        }
        let new = self.rewritten_constraints(pool, own, left);
        match new.is_empty() && rewritten.is_none() {
            true => StageOutcome::Pass,
            false => rewrite(pool, query, &new, rewritten.unwrap_or(query.goal)),
        }
    }

    /// Returns constraints that have smaller terms, by those that they replace. They are read under
    /// the others alone, in which nothing may cancel, so that none is given up for what it says
    /// itself.
    fn rewritten_constraints(
        &mut self,
        pool: &mut Pool,
        own: &[Expr],
        allowance: u64,
    ) -> FxHashMap<Expr, Expr> {
        let (promising, others): (Vec<Expr>, Vec<Expr>) =
            own.iter().partition(|c| self.is_promising(pool, **c));
        if promising.is_empty() {
            return FxHashMap::default();
        }
        let Some((ranges, work)) = interval::ranges(pool, &others) else {
            return FxHashMap::default();
        };
        self.steps += work;
        let mut reader = Reader::new(pool, &others, ranges, allowance);
        let rewritten = promising
            .into_iter()
            .filter_map(|c| Some((c, reader.rewritten(pool, c)?)))
            .collect();
        self.steps += reader.steps();
        rewritten
    }

    /// Rewrites the constraints of a query in whose goal nothing cancels.
    fn with_smaller_constraints(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        let promising = query.constraints.iter().copied();
        let promising: Vec<Expr> = promising.filter(|c| self.is_promising(pool, *c)).collect();
        if promising.is_empty() {
            return StageOutcome::Pass;
        }
        let (own, _) = connected(pool, query.constraints, query.goal);
        let mut new = FxHashMap::default();
        for constraint in promising {
            if own.contains(&constraint)
                && let Some(smaller) = self.smaller(pool, constraint)
            {
                new.insert(constraint, smaller);
            }
        }
        match new.is_empty() {
            true => StageOutcome::Pass,
            false => rewrite(pool, query, &new, query.goal),
        }
    }

    /// Returns a constraint with smaller terms, whatever other constraints there are, if it has
    /// some.
    fn smaller(&mut self, pool: &mut Pool, constraint: Expr) -> Option<Expr> {
        if self.smaller.len() > MAX_KNOWN {
            self.smaller.clear();
        }
        if let Some(known) = self.smaller.get(&constraint) {
            return *known;
        }
        if !self.reading.admits() {
            return None;
        }
        let mut reader = Reader::new(pool, &[], Ranges::default(), WORK);
        let smaller = reader.rewritten(pool, constraint);
        self.steps += reader.steps();
        self.reading.settle(reader.steps(), smaller.is_some());
        self.smaller.insert(constraint, smaller);
        smaller
    }
}

/// Replaces constraints of a query, and its goal.
fn rewrite(
    pool: &mut Pool,
    query: &Query,
    new: &FxHashMap<Expr, Expr>,
    goal: Expr,
) -> StageOutcome {
    let mut constraints = query.constraints.to_vec();
    for constraint in &mut constraints {
        *constraint = new.get(constraint).copied().unwrap_or(*constraint);
    }
    constraints.retain(|c| pool.as_const(*c) != Some(1));
    let contrary = pool.not(goal);
    let is_wrong = |c: &Expr| *c == contrary || pool.as_const(*c) == Some(0);
    match constraints.iter().any(is_wrong) {
        true => StageOutcome::Answer(Answer::Unsat),
        false => StageOutcome::Rewrite(constraints, goal),
    }
}

/// Ranges of terms under the constraints of a query.
pub(super) type Ranges = FxHashMap<Expr, Domain>;

#[cfg(test)]
mod tests;
