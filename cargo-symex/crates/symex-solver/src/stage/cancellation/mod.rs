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
/// Number of remembered goals at which they are forgotten.
const MAX_KNOWN: usize = 1 << 18;

/// The cancellation stage: see the module.
#[derive(Default)]
pub struct Cancellation {
    /// Whether something may cancel in a goal.
    promising: FxHashMap<Expr, bool>,
    /// What the stage brought, by the shape of queries.
    ledger: Ledger,
    /// Number of steps so far.
    steps: u64,
}

impl Stage for Cancellation {
    fn name(&self) -> &'static str {
        "cancellation"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        if query.has_base(pool) || !self.is_promising(pool, query.goal) {
            return StageOutcome::Pass;
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
        self.steps += reader.steps();
        match (decided, rewritten) {
            (Some(false), _) => StageOutcome::Answer(Answer::Unsat),
            (Some(true), _) if query.holds(pool, query.hint) => {
                StageOutcome::Answer(Answer::Sat(query.hint.clone()))
            }
            (None, Some(goal)) => StageOutcome::Rewrite(query.constraints.to_vec(), goal),
            _ => StageOutcome::Pass,
        }
    }
}

/// Ranges of terms under the constraints of a query.
pub(super) type Ranges = FxHashMap<Expr, Domain>;

#[cfg(test)]
mod tests;
