//! Integer terms of Z3 with the ranges of their values: sums, products, quotients, and windows of a
//! modulus.
//!
//! Invariant: what has been defined (`definitions`) forces every number into its range, and never
//! excludes a value that the number may have by its making. How terms of the pool become numbers is
//! in `integer`.

use super::product::Products;
use super::raw::{BackEndFailure, Context, Fallible, Int, Sort, Term};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use symex_terms::Width;
use z3_sys::*;

/// An integer term and its range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Number {
    pub term: Term,
    pub lo: Int,
    pub hi: Int,
}

impl Number {
    /// Returns the value, if there is only one.
    pub fn as_const(self) -> Option<Int> {
        (self.lo == self.hi).then_some(self.lo)
    }
}

/// Quotient and remainder.
pub(super) type QuotientAndRemainder = (Number, Number);

/// Factory of the numbers in one context.
pub(super) struct Numbers {
    pub cx: Rc<Context>,
    sort: Sort,
    /// Assertions that define the variables among the numbers.
    pub definitions: Vec<Term>,
    /// Divisions by dividend, divisor, and whether the quotient is truncated instead of rounded
    /// down.
    divisions: FxHashMap<(Term, Int, bool), QuotientAndRemainder>,
    pub(super) products: Products,
    variables: u32,
}

/// Failure for a number outside the supported range.
pub(super) fn beyond() -> BackEndFailure {
    BackEndFailure("not in the range of integers".into())
}

/// Returns `2^width`.
pub(super) fn modulus(width: Width) -> Int {
    Int::ONE << width
}

/// Returns the quotient by a positive number, rounded up.
pub(super) fn divide_up(a: Int, by: Int) -> Int {
    a.div_euclid(by) + Int::from(a.rem_euclid(by) != 0)
}

impl Numbers {
    pub fn new(cx: Rc<Context>) -> Fallible<Self> {
        Ok(Numbers {
            sort: cx.int_sort()?,
            cx,
            definitions: Vec::new(),
            divisions: FxHashMap::default(),
            products: Products::default(),
            variables: 0,
        })
    }

    pub fn literal(&self, v: impl Into<Int>) -> Fallible<Number> {
        let v = v.into();
        let term = self.cx.integer(v, self.sort)?;
        Ok(Number { term, lo: v, hi: v })
    }

    /// Makes a variable with values in a range.
    pub fn variable(&mut self, lo: impl Into<Int>, hi: impl Into<Int>) -> Fallible<Number> {
        let (lo, hi) = (lo.into(), hi.into());
        if lo == hi {
            return self.literal(lo);
        }
        self.variables += 1;
        let name = format!("i{}", self.variables);
        let number = Number {
            term: self.cx.constant(&name, self.sort)?,
            lo,
            hi,
        };
        self.bound(number, Some(lo), Some(hi))?;
        Ok(number)
    }

    /// Adds the definition that a number is within bounds.
    fn bound(&mut self, n: Number, lo: Option<Int>, hi: Option<Int>) -> Fallible<()> {
        if let Some(lo) = lo {
            let lo = self.literal(lo)?;
            let fact = self.cx.binary(Z3_mk_ge, n.term, lo.term)?;
            self.definitions.push(fact);
        }
        if let Some(hi) = hi {
            let hi = self.literal(hi)?;
            let fact = self.cx.binary(Z3_mk_le, n.term, hi.term)?;
            self.definitions.push(fact);
        }
        Ok(())
    }

    fn ranged(&self, term: Term, lo: Option<Int>, hi: Option<Int>) -> Fallible<Number> {
        let (lo, hi) = (lo.ok_or_else(beyond)?, hi.ok_or_else(beyond)?);
        if lo == hi {
            return self.literal(lo);
        }
        Ok(Number { term, lo, hi })
    }

    pub fn sum(&self, a: Number, b: Number) -> Fallible<Number> {
        match (a.as_const(), b.as_const()) {
            (Some(Int::ZERO), _) => Ok(b),
            (_, Some(Int::ZERO)) => Ok(a),
            _ => {
                let term = self.cx.int_sum(a.term, b.term)?;
                self.ranged(term, a.lo.checked_add(b.lo), a.hi.checked_add(b.hi))
            }
        }
    }

    pub fn difference(&self, a: Number, b: Number) -> Fallible<Number> {
        match b.as_const() {
            Some(Int::ZERO) => Ok(a),
            _ => {
                let term = self.cx.int_difference(a.term, b.term)?;
                self.ranged(term, a.lo.checked_sub(b.hi), a.hi.checked_sub(b.lo))
            }
        }
    }

    pub fn product(&self, a: Number, factor: impl Into<Int>) -> Fallible<Number> {
        let factor = factor.into();
        if factor == 1 {
            return Ok(a);
        }
        let by = self.literal(factor)?;
        let term = self.cx.int_product(by.term, a.term)?;
        let (lo, hi) = if factor < 0 {
            (a.hi, a.lo)
        } else {
            (a.lo, a.hi)
        };
        self.ranged(term, lo.checked_mul(factor), hi.checked_mul(factor))
    }

    /// Makes an if-then-else of two numbers.
    pub fn either(&self, condition: Term, a: Number, b: Number) -> Fallible<Number> {
        let term = self.cx.ite(condition, a.term, b.term)?;
        self.ranged(term, Some(a.lo.min(b.lo)), Some(a.hi.max(b.hi)))
    }

    /// Makes the comparison `a < b`.
    pub fn less(&self, a: Number, b: Number) -> Fallible<Term> {
        if a.hi < b.lo || a.lo >= b.hi {
            return self.cx.truth(a.hi < b.lo);
        }
        self.cx.binary(Z3_mk_lt, a.term, b.term)
    }

    /// Makes the comparison `a <= b`.
    pub fn at_most(&self, a: Number, b: Number) -> Fallible<Term> {
        let more = self.less(b, a)?;
        self.cx.not(more)
    }

    pub fn less_than(&self, a: Number, bound: impl Into<Int>) -> Fallible<Term> {
        let bound = self.literal(bound)?;
        self.less(a, bound)
    }

    pub fn more_than(&self, a: Number, bound: impl Into<Int>) -> Fallible<Term> {
        let bound = self.literal(bound)?;
        self.less(bound, a)
    }

    pub fn same(&self, a: Number, b: Number) -> Fallible<Term> {
        if a.hi < b.lo || b.hi < a.lo {
            return self.cx.truth(false);
        }
        self.cx.eq(a.term, b.term)
    }

    /// Divides by a positive number: returns the quotient, rounded down, and the remainder.
    pub fn divide_down(&mut self, a: Number, by: Int) -> Fallible<QuotientAndRemainder> {
        let (least, most) = (a.lo.div_euclid(by), a.hi.div_euclid(by));
        if least == most {
            // Less than a divisor apart: the remainder is the rest.
            let quotient = self.literal(least)?;
            let below = self.literal(least.checked_mul(by).ok_or_else(beyond)?)?;
            return Ok((quotient, self.difference(a, below)?));
        }
        if let Some(parts) = self.divisions.get(&(a.term, by, false)) {
            return Ok(*parts);
        }
        let (q, r) = (self.variable(least, most)?, self.variable(0, by - 1)?);
        self.define_division(a, by, q, r)?;
        self.divisions.insert((a.term, by, false), (q, r));
        Ok((q, r))
    }

    /// Divides by a positive number: returns the quotient, rounded towards zero, and the remainder
    /// with the sign of the dividend.
    pub fn divide_to_zero(&mut self, a: Number, by: Int) -> Fallible<QuotientAndRemainder> {
        if a.lo >= 0 || by == 1 {
            return self.divide_down(a, by);
        }
        if a.hi <= 0 {
            let positive = self.product(a, -1)?;
            let (q, r) = self.divide_down(positive, by)?;
            return Ok((self.product(q, -1)?, self.product(r, -1)?));
        }
        if let Some(parts) = self.divisions.get(&(a.term, by, true)) {
            return Ok(*parts);
        }
        let q = self.variable(a.lo / by, a.hi / by)?;
        let r = self.variable((1 - by).max(a.lo), (by - 1).min(a.hi))?;
        self.define_division(a, by, q, r)?;
        self.define_side(a, r)?;
        self.divisions.insert((a.term, by, true), (q, r));
        Ok((q, r))
    }

    fn define_division(&mut self, a: Number, by: Int, q: Number, r: Number) -> Fallible<()> {
        let by = self.literal(by)?;
        let multiple = self.cx.int_product(by.term, q.term)?;
        let sum = self.cx.int_sum(multiple, r.term)?;
        let fact = self.cx.eq(a.term, sum)?;
        self.definitions.push(fact);
        Ok(())
    }

    /// States that a remainder is on the side of zero on which the dividend is.
    pub(super) fn define_side(&mut self, dividend: Number, remainder: Number) -> Fallible<()> {
        let (below, above) = (self.less_than(dividend, 0)?, self.more_than(dividend, 0)?);
        let at_most = self.less_than(remainder, 1)?;
        let at_least = self.more_than(remainder, -1)?;
        self.define_implied(&[above], at_least)?;
        self.define_implied(&[below], at_most)
    }

    /// States that a fact holds where some conditions do.
    pub(super) fn define_implied(&mut self, conditions: &[Term], fact: Term) -> Fallible<()> {
        let fact = self.implication(conditions, fact)?;
        self.definitions.push(fact);
        Ok(())
    }

    /// Makes the fact that another holds where some conditions do.
    pub(super) fn implication(&self, conditions: &[Term], fact: Term) -> Fallible<Term> {
        let condition = self.cx.and(conditions)?;
        let not = self.cx.not(condition)?;
        self.cx.or(not, fact)
    }

    /// Returns the least and the greatest multiple of the modulus to be subtracted from a number to
    /// move it into a window no wider than the modulus.
    fn turns(&self, n: Number, window: (Int, Int), width: Width) -> Fallible<(Int, Int)> {
        let m = modulus(width);
        let above = n.lo.checked_sub(window.1).ok_or_else(beyond)?;
        let below = n.hi.checked_sub(window.0).ok_or_else(beyond)?;
        Ok((divide_up(above, m), below.div_euclid(m)))
    }

    /// Moves a number into a window by a multiple of the modulus, if that is the same for each
    /// value. The result is known to be in the window.
    pub fn moved(
        &mut self,
        n: Number,
        window: (Int, Int),
        width: Width,
    ) -> Fallible<Option<Number>> {
        let (least, most) = self.turns(n, window, width)?;
        if least != most {
            return Ok(None);
        }
        let away = least.checked_mul(modulus(width)).ok_or_else(beyond)?;
        let away = self.literal(away)?;
        let moved = self.difference(n, away)?;
        let (lo, hi) = (moved.lo.max(window.0), moved.hi.min(window.1));
        if lo > hi {
            // The window comes from conditions that contradict each other.
            let fact = self.cx.truth(false)?;
            self.definitions.push(fact);
            return Ok(Some(self.literal(window.0)?));
        }
        self.within(moved, window).map(Some)
    }

    /// Restricts the range of a number to a window that it is known to be in.
    pub fn within(&mut self, mut n: Number, window: (Int, Int)) -> Fallible<Number> {
        let low = (window.0 > n.lo).then_some(window.0);
        let high = (window.1 < n.hi).then_some(window.1);
        self.bound(n, low, high)?;
        (n.lo, n.hi) = (n.lo.max(window.0), n.hi.min(window.1));
        Ok(n)
    }

    /// Returns the number in a window that is congruent to this one. It is known to be in the
    /// window.
    pub fn wrapped(&mut self, n: Number, window: (Int, Int), width: Width) -> Fallible<Number> {
        if let Some(moved) = self.moved(n, window, width)? {
            return Ok(moved);
        }
        let (least, most) = self.turns(n, window, width)?;
        let m = modulus(width);
        if least > most {
            let fact = self.cx.truth(false)?;
            self.definitions.push(fact);
            return self.literal(window.0);
        }
        let (count, rest) = (
            self.variable(least, most)?,
            self.variable(window.0, window.1)?,
        );
        self.define_division(n, m, count, rest)?;
        Ok(rest)
    }
}
