//! Stage that refutes queries about sums and differences, as integers.
//!
//! A program subtracts what it has found to be no more than what there is (`if n <= balance {
//! balance -= n }`), and adds lengths and offsets that it has compared. That nothing overflows
//! follows from these comparisons at once, but each sum and difference wraps for a solver of
//! bit-vectors, which finds that out by cases. Here a sum is a linear form over integers, with
//! ranges: those of its terms, and those that the constraints give for forms of which it is made.
//! Where the range of a form says how often it wraps, its term is that integer. Comparisons of such
//! terms are ranges of further forms. A range without an integer is `Unsat`; nothing else is an
//! answer.
//!
//! Pays on balances and on positions in buffers.

mod known;
#[cfg(test)]
mod tests;

use super::{Stage, StageOutcome};
use crate::{Answer, Query};
use known::{Atom, Form, Known, Said, ceiling};
use rustc_hash::{FxHashMap, FxHashSet};
use symex_terms::eval::sign_extend;
use symex_terms::{BinOp, Expr, Kind, Pool, UnOp, Width};

/// Greatest number of comparisons of a query that are looked at, the newest.
const MOST_LITERALS: usize = 48;
/// Greatest number of terms of a sum.
const MOST_TERMS: u32 = 512;
/// Steps of adding up forms that a query may cost.
const STEPS: u32 = 2_000;
/// Number of times that the comparisons are gone through while that brings something.
const ROUNDS: usize = 3;
/// Width of the widest numbers: of sums of 64 bits with their carry, for one.
const WIDEST: Width = 66;

/// The linear stage: see the module.
pub struct Linear;

/// A comparison that holds, or does not.
#[derive(Clone, Copy, Debug)]
struct Literal {
    op: BinOp,
    left: Expr,
    right: Expr,
    holds: bool,
}

impl Stage for Linear {
    fn name(&self) -> &'static str {
        "linear"
    }

    fn before(&mut self, pool: &mut Pool, query: &Query) -> StageOutcome {
        let mut literals = Vec::new();
        collect(pool, query.goal, &mut literals);
        if literals.is_empty() || query.has_base(pool) {
            return StageOutcome::Pass;
        }
        for constraint in query.constraints.iter().rev() {
            if literals.len() >= MOST_LITERALS {
                break;
            }
            collect(pool, *constraint, &mut literals);
        }
        // What a path compares mostly rests on what it has compared before.
        literals.reverse();
        let mut sides = literals.iter().flat_map(|l| [l.left, l.right]);
        if !sides.any(|side| is_sum(pool, side)) {
            return StageOutcome::Pass;
        }
        match Sums::of(pool, &literals).contradict(&literals) {
            true => StageOutcome::Answer(Answer::Unsat),
            false => StageOutcome::Pass,
        }
    }
}

/// Reports whether a term is a sum of others, as it is or as a wider one.
fn is_sum(pool: &Pool, term: Expr) -> bool {
    match pool.kind(term) {
        Kind::Bin(BinOp::Add | BinOp::Sub, ..) => true,
        Kind::ZExt(a) | Kind::SExt(a) => is_sum(pool, a),
        _ => false,
    }
}

/// Adds the comparisons of numbers that a condition says.
fn collect(pool: &Pool, condition: Expr, into: &mut Vec<Literal>) {
    let mut waiting = vec![(condition, true)];
    while let Some((term, holds)) = waiting.pop() {
        match pool.kind(term) {
            Kind::Un(UnOp::Not, a) => waiting.push((a, !holds)),
            Kind::Bin(BinOp::And, a, b) if holds => waiting.extend([(a, true), (b, true)]),
            Kind::Bin(BinOp::Or, a, b) if !holds => waiting.extend([(a, false), (b, false)]),
            Kind::Bin(
                op @ (BinOp::Eq | BinOp::ULt | BinOp::ULe | BinOp::SLt | BinOp::SLe),
                left,
                right,
            ) if (2..=WIDEST).contains(&pool.width(left)) => into.push(Literal {
                op,
                left,
                right,
                holds,
            }),
            _ => {}
        }
    }
}

/// The sums of a query, and what is known of them.
struct Sums<'p> {
    pool: &'p Pool,
    /// Terms that are read as signed numbers where they stand alone.
    signed: FxHashSet<Expr>,
    /// Forms that are congruent to terms, modulo two to their widths.
    forms: FxHashMap<Expr, Option<Form>>,
    known: Known,
    /// Terms that may still be looked at.
    terms: u32,
}

impl<'p> Sums<'p> {
    fn of(pool: &'p Pool, literals: &[Literal]) -> Self {
        let mut sums = Sums {
            pool,
            signed: FxHashSet::default(),
            forms: FxHashMap::default(),
            known: Known::new(STEPS),
            terms: MOST_TERMS,
        };
        let mut seen = FxHashSet::default();
        for literal in literals {
            let signed = matches!(literal.op, BinOp::SLt | BinOp::SLe);
            for side in [literal.left, literal.right] {
                sums.note_signs(side, signed, &mut seen);
            }
        }
        sums.terms = MOST_TERMS;
        sums
    }

    /// Notes which terms of a sum are read as signed numbers.
    fn note_signs(&mut self, term: Expr, signed: bool, seen: &mut FxHashSet<(Expr, bool)>) {
        let mut waiting = vec![(term, signed)];
        while let Some((term, signed)) = waiting.pop() {
            if self.terms == 0 || !seen.insert((term, signed)) {
                continue;
            }
            self.terms -= 1;
            match self.pool.kind(term) {
                Kind::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl, a, b) => {
                    waiting.extend([(a, signed), (b, signed)]);
                }
                Kind::Concat { hi, lo } if self.pool.as_const(lo).is_some() => {
                    waiting.push((hi, signed));
                }
                Kind::Extract { of, lo: 0 } => waiting.push((of, signed)),
                Kind::ZExt(a) => waiting.push((a, false)),
                Kind::SExt(a) => waiting.push((a, true)),
                _ if signed => {
                    self.signed.insert(term);
                }
                _ => {}
            }
        }
    }

    /// Reports whether the comparisons contradict each other.
    fn contradict(&mut self, literals: &[Literal]) -> bool {
        for _ in 0..ROUNDS {
            self.forms.clear();
            self.terms = MOST_TERMS;
            let mut is_new = false;
            for literal in literals {
                match self.add(*literal) {
                    Some(Said::Nothing) | None => {}
                    Some(Said::New) => is_new = true,
                    Some(Said::Contradiction) => return true,
                }
            }
            if !is_new {
                return false;
            }
        }
        false
    }

    /// Adds what a comparison says. `None`: its numbers are too great.
    fn add(&mut self, literal: Literal) -> Option<Said> {
        let Literal {
            op,
            left,
            right,
            holds,
        } = literal;
        if op == BinOp::Eq {
            return self.add_equality(left, right, holds);
        }
        let signed = matches!(op, BinOp::SLt | BinOp::SLe);
        let (left, right) = (self.value(left, signed)?, self.value(right, signed)?);
        // The greater one less the smaller one.
        let (difference, strict) = match holds {
            true => (
                right.plus(&left, -1)?,
                matches!(op, BinOp::ULt | BinOp::SLt),
            ),
            false => (
                left.plus(&right, -1)?,
                matches!(op, BinOp::ULe | BinOp::SLe),
            ),
        };
        let range = (i128::from(strict), i128::MAX);
        Some(self.known.note(self.pool, &difference, range))
    }

    /// Adds that two terms are equal, or are not.
    fn add_equality(&mut self, left: Expr, right: Expr, equal: bool) -> Option<Said> {
        let size = 1i128 << self.pool.width(left);
        let difference = self.form(left)?.plus(&self.form(right)?, -1)?;
        let (low, high) = self.known.range(self.pool, &difference)?;
        // They are equal where this is a multiple of the size.
        let first = ceiling(low, size);
        let last = high.div_euclid(size);
        Some(match equal {
            true if first > last => Said::Contradiction,
            true if first == last => {
                let multiple = first * size;
                self.known
                    .note(self.pool, &difference, (multiple, multiple))
            }
            false if first == last && low == high => Said::Contradiction,
            _ => Said::Nothing,
        })
    }

    /// Returns the value of a term, as an unsigned or a signed number.
    fn value(&mut self, term: Expr, signed: bool) -> Option<Form> {
        let width = self.pool.width(term);
        let exact = self
            .form(term)
            .and_then(|form| self.exact(form, width, signed));
        match exact {
            Some(form) => Some(form),
            None if width <= WIDEST => Some(Form::atom(Atom { term, signed })),
            None => None,
        }
    }

    /// Returns the number of a width to which a form is congruent, if it is known how far away that
    /// is.
    fn exact(&mut self, form: Form, width: Width, signed: bool) -> Option<Form> {
        let least = if signed { -(1i128 << (width - 1)) } else { 0 };
        let range = self.known.range(self.pool, &form)?;
        form.moved(range, width, least)
    }

    /// Returns a form that is congruent to a term modulo two to its width; `None` if that is too
    /// large.
    fn form(&mut self, term: Expr) -> Option<Form> {
        if let Some(form) = self.forms.get(&term) {
            return form.clone();
        }
        let form = self.make_form(term);
        self.forms.insert(term, form.clone());
        form
    }

    fn make_form(&mut self, term: Expr) -> Option<Form> {
        let width = self.pool.width(term);
        if self.terms == 0 || width > WIDEST {
            return None;
        }
        self.terms -= 1;
        let factor_of = |e: Expr| self.pool.as_const(e).map(|c| sign_extend(c, width));
        let form = match self.pool.kind(term) {
            Kind::Const(c) => Some(Form::constant(sign_extend(c, width))),
            Kind::Bin(BinOp::Add, a, b) => {
                let (a, b) = (self.form(a)?, self.form(b)?);
                a.plus(&b, 1)
            }
            Kind::Bin(BinOp::Sub, a, b) => {
                let (a, b) = (self.form(a)?, self.form(b)?);
                a.plus(&b, -1)
            }
            Kind::Bin(BinOp::Mul, a, b) => match (factor_of(a), factor_of(b)) {
                (Some(factor), _) => self.form(b)?.times(factor),
                (_, Some(factor)) => self.form(a)?.times(factor),
                _ => None,
            },
            Kind::Bin(BinOp::Shl, a, b) => match self.pool.as_const(b) {
                Some(by) if by < 32 => self.form(a)?.times(1 << by),
                _ => None,
            },
            // A shift to the left.
            Kind::Concat { hi, lo } => match self.pool.as_const(lo) {
                Some(low) if self.pool.width(lo) < 32 => {
                    let low = Form::constant(low as i128);
                    low.plus(&self.form(hi)?, 1 << self.pool.width(lo))
                }
                _ => None,
            },
            Kind::ZExt(a) => self.value(a, false),
            Kind::SExt(a) => self.value(a, true),
            Kind::Extract { of, lo: 0 } => self.form(of),
            _ => None,
        };
        let signed = self.signed.contains(&term);
        Some(form.unwrap_or_else(|| Form::atom(Atom { term, signed })))
    }
}
