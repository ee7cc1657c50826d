//! Translation of queries to linear integer arithmetic, for the arithmetic of calendars and clocks:
//! linear arithmetic with divisions, at which bit-vector solvers are poor.
//!
//! Each term becomes an integer that is congruent to it modulo 2 to its width. Where an operator
//! needs the value itself, as an unsigned or a signed number, the integer is moved into that
//! window, by a known distance where ranges allow that. A product of two unknown numbers is a
//! variable with linear constraints (`product`), and a term that is not arithmetic one without.
//!
//! Invariant: every solution of the query is a solution of the translation, so `Unsat` is right;
//! the caller must verify a `Sat`. A context serves one query. Operators are in `integer_op`,
//! numbers and their ranges in `number`, ranges that constraints give in `known`.

use super::encode_array;
use super::interrupt::InterruptHandle;
use super::known::TermRanges;
use super::number::{Number, Numbers, modulus};
use super::raw::{
    BackEndFailure, CheckResult, Context, Fallible, Int, Model, RawSolver, Strategy, Term,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use std::time::Instant;
use symex_terms::eval::sign_extend;
use symex_terms::{ArrayKind, BinOp, Domain, Expr, Kind, Pool, UnOp, Var, Width, mask};
use z3_sys::*;

/// Greatest number of terms of a query.
const MAX_TERMS: usize = 20_000;
/// Greatest number of runs of equal elements of a table: a choice among hundreds is as hard for
/// integers as for bits.
const MAX_RUNS: usize = 32;
/// Greatest number of times that facts on products are added.
const MAX_ROUNDS: usize = 12;

/// Result of an attempt.
pub(super) struct AttemptResult {
    pub verdict: CheckResult,
    /// Values of variables, where the verdict is `Sat`.
    pub values: Vec<(Var, u128)>,
    /// Whether every term was translated exactly.
    pub exact: bool,
    /// Work of the check, in Z3's unit, if it is counted.
    pub work: u64,
}

/// Constants with conditions: the value is the first whose condition holds; the last needs none.
pub(super) type Cases = Rc<[(Term, Int)]>;

/// A query being translated to integers.
pub(super) struct Integers<'a> {
    pub(super) pool: &'a Pool,
    pub(super) make: Numbers,
    ranges: TermRanges,
    numbers: FxHashMap<Expr, Number>,
    truths: FxHashMap<Expr, Term>,
    unsigned: FxHashMap<Expr, Number>,
    signed: FxHashMap<Expr, Number>,
    variables: Vec<(Var, Width, Expr)>,
    /// Numbers whose values are among a few constants.
    pub(super) cases: FxHashMap<Term, Cases>,
    /// Score of each term: how much more often it is read as signed than as unsigned.
    leaning: FxHashMap<Expr, i32>,
    /// Number of terms left unconstrained.
    opaque: u32,
    roots: Vec<Term>,
}

/// Returns the terms below some conditions, operands first; `None` if there are too many, or no
/// arithmetic of at least a width.
fn terms(pool: &Pool, conditions: &[Expr], wide: Width) -> Option<Vec<Expr>> {
    let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
    let mut stack: Vec<(Expr, bool)> = conditions.iter().rev().map(|c| (*c, false)).collect();
    let mut hard = false;
    while let Some((e, open)) = stack.pop() {
        if open {
            order.push(e);
            continue;
        }
        if !seen.insert(e) {
            continue;
        }
        if seen.len() > MAX_TERMS {
            return None;
        }
        stack.push((e, true));
        let wide = pool.width(e) >= wide;
        match pool.kind(e) {
            Kind::Const(_) | Kind::Var(_) | Kind::Base { .. } => {}
            Kind::FCast(..) | Kind::Fma(..) => {}
            Kind::Bin(op, ..) if op.is_float() => {}
            Kind::Un(_, a) | Kind::Extract { of: a, .. } | Kind::ZExt(a) | Kind::SExt(a) => {
                stack.push((a, false))
            }
            Kind::Bin(op, a, b) => {
                use BinOp::*;
                hard |= wide && matches!(op, Add | Sub | Mul | UDiv | SDiv | URem | SRem);
                stack.extend([(a, false), (b, false)]);
            }
            Kind::Concat { hi, lo } => stack.extend([(hi, false), (lo, false)]),
            Kind::Ite { cond, then, other } => {
                stack.extend([(cond, false), (then, false), (other, false)])
            }
            Kind::Select { array, index } => {
                stack.push((index, false));
                if let Some(runs) = runs(pool, array) {
                    stack.extend(runs.iter().map(|r| (r.1, false)));
                }
            }
        }
    }
    hard.then_some(order)
}

/// Returns the first index and element of each run of a table that has few runs.
fn runs(pool: &Pool, array: symex_terms::Array) -> Option<Vec<(u64, Expr)>> {
    match pool.array_kind(array) {
        ArrayKind::Table(elems) => encode_array::runs(elems, MAX_RUNS),
        ArrayKind::Store { .. } => None,
    }
}

/// Failure for a term that has to be left unconstrained.
pub(super) fn opaque() -> BackEndFailure {
    BackEndFailure("not linear".into())
}

impl<'a> Integers<'a> {
    /// Translates the conjunction of conditions; `None` if integers do not suit it. They are of use
    /// for arithmetic that is at least `wide` bits wide.
    pub fn encode(
        pool: &'a Pool,
        conditions: &[Expr],
        wide: Width,
    ) -> Fallible<Option<Integers<'a>>> {
        let Some(order) = terms(pool, conditions, wide) else {
            return Ok(None);
        };
        let mut ranges = TermRanges::default();
        ranges.learn(pool, conditions);
        let mut all = Integers {
            pool,
            make: Numbers::new(Context::new()?)?,
            ranges,
            numbers: FxHashMap::default(),
            truths: FxHashMap::default(),
            unsigned: FxHashMap::default(),
            signed: FxHashMap::default(),
            variables: Vec::new(),
            cases: FxHashMap::default(),
            leaning: FxHashMap::default(),
            opaque: 0,
            roots: Vec::new(),
        };
        for e in order.iter().rev() {
            all.lean(*e);
        }
        for e in order {
            all.build(e)?;
        }
        for c in conditions {
            let root = all.truth(*c)?;
            all.roots.push(root);
        }
        Ok(Some(all))
    }

    /// Returns the number of terms left unconstrained.
    pub fn opaque(&self) -> u32 {
        self.opaque
    }

    /// Asks Z3, with a limit on its work, and until `end` at most.
    pub fn check(
        &self,
        work: u32,
        end: Instant,
        interrupt: &InterruptHandle,
        counts_work: bool,
    ) -> Fallible<AttemptResult> {
        let cx = &self.make.cx;
        let solver = RawSolver::new(cx, Strategy::Kernel)?;
        for term in self.make.definitions.iter().chain(&self.roots) {
            solver.assert(*term);
        }
        let check = |left| interrupt.during(cx.pointer(), end, || solver.check_within(left));
        let (verdict, model, are_right) = self.check_products(&solver, work, check)?;
        let mut values = Vec::new();
        if let Some(model) = model {
            for (v, width, e) in &self.variables {
                let value = match self.numbers.get(e) {
                    // One bit is read as a truth, whether or not it is a number as well.
                    _ if *width == 1 => model.value(self.truths[e])?,
                    Some(n) if n.as_const().is_some() => n.as_const().map(Int::as_u128),
                    Some(n) => model.integer(n.term)?.map(Int::as_u128),
                    None => None,
                };
                if let Some(value) = value {
                    values.push((*v, value & mask(*width)));
                }
            }
        }
        Ok(AttemptResult {
            verdict,
            values,
            exact: self.opaque == 0 && are_right,
            work: u64::from(solver.work_done_if(counts_work)?),
        })
    }

    /// Checks, and says more about the products that have other values in a model, until the answer
    /// is sure or nothing more can be said; reports whether the products are right in the model.
    fn check_products(
        &self,
        solver: &RawSolver,
        work: u32,
        check: impl Fn(u32) -> CheckResult,
    ) -> Fallible<(CheckResult, Option<Model>, bool)> {
        let check_rest = || {
            // Z3 takes none for no limit.
            Ok(match work.saturating_sub(solver.work_done()?) {
                0 => CheckResult::Unknown("work".into()),
                left => check(left),
            })
        };
        let (mut verdict, mut model) = (check(work), None);
        for round in 1..=MAX_ROUNDS {
            match verdict {
                CheckResult::Sat => {}
                CheckResult::Unsat => return Ok((CheckResult::Unsat, None, true)),
                CheckResult::Unknown(_) if self.make.has_products() => break,
                unknown => return Ok((unknown, None, false)),
            }
            let found = solver.model()?;
            let (are_right, facts) = self.make.refine(&found)?;
            model = Some(found);
            if are_right {
                return Ok((CheckResult::Sat, model, true));
            }
            if facts.is_empty() {
                break;
            }
            for fact in facts {
                solver.assert(fact);
            }
            if round == MAX_ROUNDS {
                break;
            }
            verdict = check_rest()?;
        }
        for fact in self.make.what_products_are()? {
            solver.assert(fact);
        }
        Ok(match check_rest()? {
            CheckResult::Unsat => (CheckResult::Unsat, None, true),
            CheckResult::Sat => (CheckResult::Sat, Some(solver.model()?), true),
            // The last model may be right, as the caller will see.
            CheckResult::Unknown(_) if model.is_some() => (CheckResult::Sat, model, false),
            unknown => (unknown, None, false),
        })
    }

    /// Records how a term reads its operands, signed or unsigned, as far as that does not depend on
    /// how the term itself is read.
    fn lean(&mut self, e: Expr) {
        use BinOp::*;
        let own = self.leaning.get(&e).copied().unwrap_or(0).signum();
        let mut tell = |e: Expr, by: i32| *self.leaning.entry(e).or_insert(0) += by;
        match self.pool.kind(e) {
            Kind::SExt(a) => tell(a, 1),
            Kind::ZExt(a) => tell(a, -1),
            Kind::Extract { of, lo } if lo > 0 => tell(of, -1),
            Kind::Un(UnOp::Not, a) => tell(a, own),
            Kind::Ite { then, other, .. } => {
                tell(then, own);
                tell(other, own);
            }
            Kind::Bin(op, a, b) => {
                let by = match op {
                    SDiv | SRem | AShr | SLt | SLe | SMulO => 1,
                    UDiv | URem | LShr | ULt | ULe | UMulO => -1,
                    Add | Sub | Mul => own,
                    _ => 0,
                };
                tell(a, by);
                tell(b, by);
            }
            _ => {}
        }
    }

    /// Translates a term whose operands are translated.
    fn build(&mut self, e: Expr) -> Fallible<()> {
        let width = self.pool.width(e);
        let built = if width == 1 {
            self.build_truth(e).map(|t| {
                self.truths.insert(e, t);
            })
        } else {
            self.build_number(e, width).map(|n| {
                self.numbers.insert(e, n);
            })
        };
        match built {
            // What cannot be said.
            Err(failure) if !failure.is_of_z3() => {
                self.opaque += 1;
                self.unknown(e, width).map(|_| ())
            }
            built => built,
        }
    }

    /// Makes an unconstrained variable in place of a term.
    fn unknown(&mut self, e: Expr, width: Width) -> Fallible<Term> {
        if width == 1 {
            let sort = self.make.cx.bool_sort()?;
            let name = format!("b{}", e.index());
            let term = self.make.cx.constant(&name, sort)?;
            self.truths.insert(e, term);
            return Ok(term);
        }
        let domain = self.ranges.get(self.pool, e);
        let (signed, unsigned) = (signed_range(&domain), unsigned_range(&domain));
        let size = |(lo, hi): (Int, Int)| hi - lo;
        // A range that is hardly smaller is not worth it to move each value.
        let is_unsigned = match self.leaning.get(&e).is_some_and(|l| *l > 0) {
            true => size(unsigned) <= size(signed) / 2,
            false => size(unsigned) / 2 < size(signed),
        };
        let (lo, hi) = if is_unsigned { unsigned } else { signed };
        let number = self.make.variable(lo, hi)?;
        self.numbers.insert(e, number);
        Ok(number.term)
    }

    fn build_truth(&mut self, e: Expr) -> Fallible<Term> {
        use BinOp::*;
        match self.pool.kind(e) {
            Kind::Const(v) => self.make.cx.truth(v == 1),
            Kind::Var(v) => {
                let term = self.unknown(e, 1)?;
                self.variables.push((v, 1, e));
                Ok(term)
            }
            Kind::Un(UnOp::Not, a) => {
                let a = self.truth(a)?;
                self.make.cx.not(a)
            }
            Kind::Bin(op @ (And | Or | Xor | Eq), a, b) if self.pool.width(a) == 1 => {
                let (a, b) = (self.truth(a)?, self.truth(b)?);
                match op {
                    And => self.make.cx.and(&[a, b]),
                    Or => self.make.cx.or(a, b),
                    Xor => self.make.cx.binary(Z3_mk_xor, a, b),
                    _ => self.make.cx.eq(a, b),
                }
            }
            Kind::Bin(op, a, b) if op.is_predicate() => self.predicate(op, a, b),
            Kind::Ite { cond, then, other } => {
                let (c, t, o) = (self.truth(cond)?, self.truth(then)?, self.truth(other)?);
                self.make.cx.ite(c, t, o)
            }
            Kind::Extract { of, lo } if lo + 1 == self.pool.width(of) => {
                let of = self.signed(of)?;
                self.make.less_than(of, 0)
            }
            _ => {
                let n = self.build_number(e, 1)?;
                let bit = self.make.wrapped(n, (Int::ZERO, Int::ONE), 1)?;
                self.make.more_than(bit, 0)
            }
        }
    }

    fn build_number(&mut self, e: Expr, width: Width) -> Fallible<Number> {
        match self.pool.kind(e) {
            Kind::Const(v) => self.make.literal(sign_extend(v, width)),
            Kind::Var(v) => {
                self.unknown(e, width)?;
                self.variables.push((v, width, e));
                Ok(self.numbers[&e])
            }
            Kind::Un(UnOp::Not, a) => {
                let (ones, a) = (self.make.literal(-1)?, self.number(a)?);
                self.make.difference(ones, a)
            }
            Kind::Bin(op, a, b) => self.operator(op, a, b, width),
            Kind::Concat { hi, lo } => {
                let (high, low) = (self.number(hi)?, self.unsigned(lo)?);
                let high = self.times(hi, high, self.pool.width(lo))?;
                self.make.sum(high, low)
            }
            Kind::Extract { of, lo } => {
                let x = self.number(of)?;
                Ok(self.make.divide_down(x, modulus(lo))?.0)
            }
            Kind::ZExt(a) => self.unsigned(a),
            Kind::SExt(a) => self.signed(a),
            Kind::Ite { cond, then, other } => {
                let (c, t, o) = (self.truth(cond)?, self.number(then)?, self.number(other)?);
                self.choose(c, t, o, width)
            }
            Kind::Select { array, index } => {
                let runs = runs(self.pool, array).ok_or_else(opaque)?;
                let index = self.unsigned(index)?;
                self.element(&runs, index, width)
            }
            _ => Err(opaque()),
        }
    }

    /// Returns the translation of a condition.
    pub(super) fn truth(&mut self, e: Expr) -> Fallible<Term> {
        Ok(self.truths[&e])
    }

    /// Returns an integer congruent to a term.
    pub(super) fn number(&mut self, e: Expr) -> Fallible<Number> {
        if let Some(n) = self.numbers.get(&e) {
            return Ok(*n);
        }
        let (one, zero) = (self.make.literal(1)?, self.make.literal(0)?);
        let number = self.make.either(self.truths[&e], one, zero)?;
        self.numbers.insert(e, number);
        Ok(number)
    }

    /// Returns the value of a term as an unsigned number.
    pub(super) fn unsigned(&mut self, e: Expr) -> Fallible<Number> {
        if let Some(n) = self.unsigned.get(&e) {
            return Ok(*n);
        }
        let domain = self.ranges.get(self.pool, e);
        let range = unsigned_range(&domain);
        let value = self.value(e, range, false)?;
        self.unsigned.insert(e, value);
        Ok(value)
    }

    /// Returns the value of a term as a signed number.
    pub(super) fn signed(&mut self, e: Expr) -> Fallible<Number> {
        if let Some(n) = self.signed.get(&e) {
            return Ok(*n);
        }
        let domain = self.ranges.get(self.pool, e);
        let range = signed_range(&domain);
        let value = self.value(e, range, true)?;
        self.signed.insert(e, value);
        Ok(value)
    }

    fn value(&mut self, e: Expr, range: (Int, Int), is_signed: bool) -> Fallible<Number> {
        let (n, width) = (self.number(e)?, self.pool.width(e));
        if let Some(moved) = self.make.moved(n, range, width)? {
            return Ok(moved);
        }
        let m = modulus(width);
        let other = if is_signed {
            self.unsigned.get(&e)
        } else {
            self.signed.get(&e)
        };
        let from = match other {
            Some(other) => *other,
            // Within one turn of both windows: it is told by the sign.
            None if n.lo >= -(m / 2) && n.hi < m => n,
            None => return self.make.wrapped(n, range, width),
        };
        let (edge, away) = if is_signed {
            (m / 2, -m)
        } else {
            (Int::ZERO, m)
        };
        let away = self.make.literal(away)?;
        let there = self.make.sum(from, away)?;
        let below = self.make.less_than(from, edge)?;
        let mut value = if is_signed {
            self.make.either(below, from, there)?
        } else {
            self.make.either(below, there, from)?
        };
        (value.lo, value.hi) = (-edge, m - 1 - edge);
        self.make.within(value, range)
    }
}

/// Returns the range of a term as an unsigned number.
fn unsigned_range(domain: &Domain) -> (Int, Int) {
    (domain.min.into(), domain.max.into())
}

/// Returns the range of a term as a signed number.
fn signed_range(domain: &Domain) -> (Int, Int) {
    (domain.smin.into(), domain.smax.into())
}

#[cfg(test)]
#[path = "integer_tests.rs"]
mod tests;
