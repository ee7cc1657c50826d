//! Translation of operators to integer arithmetic, one at a time, whose operands are translated
//! already.

use super::integer::{Cases, Integers, opaque, power};
use super::number::{Number, beyond, divide_up, modulus};
use super::raw::{BackEndFailure, Fallible, Term};
use std::rc::Rc;
use symex_terms::eval::sign_extend;
use symex_terms::{BinOp, Expr, Width, mask};

/// Greatest number of runs of ones in a mask.
const MAX_MASK_RUNS: usize = 4;
/// Greatest number of constants by each of which a number may be multiplied or divided.
const MAX_CASES: usize = 32;

/// Returns the runs of ones in a mask: first bit, and the bit above the last.
fn mask_runs(mut mask: u128) -> Vec<(Width, Width)> {
    let (mut runs, mut at) = (Vec::new(), 0);
    while mask != 0 {
        let skip = mask.trailing_zeros();
        mask >>= skip;
        let ones = mask.trailing_ones();
        runs.push((at + skip, at + skip + ones));
        at += skip + ones;
        mask = mask.checked_shr(ones).unwrap_or(0);
    }
    runs
}

impl Integers<'_> {
    pub(super) fn predicate(&mut self, op: BinOp, a: Expr, b: Expr) -> Fallible<Term> {
        use BinOp::*;
        match op {
            Eq => self.equal(a, b),
            ULt | ULe => {
                let (x, y) = (self.unsigned(a)?, self.unsigned(b)?);
                if op == ULt {
                    self.make.less(x, y)
                } else {
                    self.make.at_most(x, y)
                }
            }
            SLt | SLe => {
                let (x, y) = (self.signed(a)?, self.signed(b)?);
                if op == SLt {
                    self.make.less(x, y)
                } else {
                    self.make.at_most(x, y)
                }
            }
            UMulO | SMulO => {
                let (x, y) = (self.number(a)?, self.number(b)?);
                let (of, cases) = match (self.cases(x), self.cases(y)) {
                    (_, Some(cases)) => (a, cases),
                    (Some(cases), _) => (b, cases),
                    _ => return Err(opaque()),
                };
                let (last, others) = cases.split_last().ok_or_else(opaque)?;
                let mut result = self.product_overflows(of, last.1 as u128, op == SMulO)?;
                for (condition, c) in others.iter().rev() {
                    let this = self.product_overflows(of, *c as u128, op == SMulO)?;
                    result = self.make.cx.ite(*condition, this, result)?;
                }
                Ok(result)
            }
            _ => Err(opaque()),
        }
    }

    fn product_overflows(&mut self, a: Expr, c: u128, is_signed: bool) -> Fallible<Term> {
        let width = self.pool.width(a);
        let c = c & mask(width);
        if !is_signed {
            let x = self.unsigned(a)?;
            return match mask(width).checked_div(c) {
                Some(most) if most <= i128::MAX as u128 => self.make.more_than(x, most as i128),
                // By zero or one.
                _ => self.make.cx.truth(false),
            };
        }
        let (x, c) = (self.signed(a)?, sign_extend(c, width));
        let (least, most) = (
            sign_extend(1 << (width - 1), width),
            (u128::MAX >> (129 - width)) as i128,
        );
        match c {
            0 | 1 => self.make.cx.truth(false),
            -1 => {
                let bound = self.make.literal(least)?;
                self.make.same(x, bound)
            }
            // Bounds on the other operand, rounded towards zero.
            _ => {
                let (low, high) = if c > 0 {
                    (least / c, most / c)
                } else {
                    (most / c, least / c)
                };
                let (below, above) = (self.make.less_than(x, low)?, self.make.more_than(x, high)?);
                self.make.cx.or(below, above)
            }
        }
    }

    fn equal(&mut self, a: Expr, b: Expr) -> Fallible<Term> {
        let width = self.pool.width(a);
        let (x, y) = (self.number(a)?, self.number(b)?);
        let low = x.lo.checked_sub(y.hi).ok_or_else(beyond)?;
        let high = x.hi.checked_sub(y.lo).ok_or_else(beyond)?;
        let Some(m) = modulus(width) else {
            return match width {
                128 => self.make.same(x, y),
                _ => Err(beyond()),
            };
        };
        // The multiples of the modulus by which they may differ.
        let (first, last) = (divide_up(low, m), high.div_euclid(m));
        if first > last {
            return self.make.cx.truth(false);
        }
        if first == last {
            let apart = self
                .make
                .literal(first.checked_mul(m).ok_or_else(beyond)?)?;
            let y = self.make.sum(y, apart)?;
            return self.make.same(x, y);
        }
        let (x, y) = (self.unsigned(a)?, self.unsigned(b)?);
        self.make.same(x, y)
    }

    /// Makes the if-then-else of two numbers, both moved into the window that leaves them nearest
    /// to each other.
    pub(super) fn choose(
        &mut self,
        c: Term,
        t: Number,
        o: Number,
        width: Width,
    ) -> Fallible<Number> {
        let mut best = (t, o);
        let span = |(t, o): (Number, Number)| {
            t.hi.max(o.hi)
                .checked_sub(t.lo.min(o.lo))
                .unwrap_or(i128::MAX)
        };
        if let Some(m) = modulus(width).filter(|m| span(best) >= *m) {
            for window in [(0, m - 1), (-(m / 2), m / 2 - 1)] {
                let (Some(t), Some(o)) = (
                    self.make.moved(t, window, width)?,
                    self.make.moved(o, window, width)?,
                ) else {
                    continue;
                };
                if span((t, o)) < span(best) {
                    best = (t, o);
                }
            }
        }
        let chosen = self.make.either(c, best.0, best.1)?;
        if let (Some(t), Some(o)) = (best.0.as_const(), best.1.as_const()) {
            self.cases.insert(chosen.term, Rc::from([(c, t), (c, o)]));
        }
        Ok(chosen)
    }

    pub(super) fn operator(
        &mut self,
        op: BinOp,
        a: Expr,
        b: Expr,
        width: Width,
    ) -> Fallible<Number> {
        use BinOp::*;
        let c = self.pool.as_const(b);
        match op {
            Add | Sub => {
                let (x, y) = (self.number(a)?, self.number(b)?);
                let combine = |s: &Self, x, y| match op {
                    Add => s.make.sum(x, y),
                    _ => s.make.difference(x, y),
                };
                match combine(self, x, y) {
                    Ok(n) => Ok(n),
                    Err(BackEndFailure(why)) if why.starts_with("Z3") => Err(BackEndFailure(why)),
                    Err(_) => {
                        let (x, y) = (self.signed(a)?, self.signed(b)?);
                        combine(self, x, y)
                    }
                }
            }
            Mul => {
                let (x, y) = (self.number(a)?, self.number(b)?);
                let (of, x, factors) = match (self.cases(x), self.cases(y)) {
                    (_, Some(f)) => (a, x, f),
                    (Some(f), _) => (b, y, f),
                    _ => return Err(opaque()),
                };
                self.by_cases(&factors, |s, factor| s.scaled(of, x, factor))
            }
            UDiv | URem => {
                let by = self.unsigned(b)?;
                let by = self.cases(by).ok_or_else(opaque)?;
                let x = self.unsigned(a)?;
                self.by_cases(&by, |s, by| {
                    if by <= 0 {
                        return Err(opaque());
                    }
                    let (q, r) = s.make.divide_down(x, by)?;
                    Ok(if op == UDiv { q } else { r })
                })
            }
            SDiv | SRem => {
                let by = sign_extend(c.ok_or_else(opaque)?, width);
                let magnitude = by.checked_abs().filter(|m| *m > 0).ok_or_else(opaque)?;
                let x = self.signed(a)?;
                let (q, r) = self.make.divide_to_zero(x, magnitude)?;
                match op {
                    SDiv if by < 0 => self.make.product(q, -1),
                    SDiv => Ok(q),
                    _ => Ok(r),
                }
            }
            Shl => {
                let by = c.filter(|c| *c < width as u128).ok_or_else(opaque)?;
                let x = self.number(a)?;
                self.times(a, x, by as Width)
            }
            LShr | AShr => {
                let by = c.filter(|c| *c < width as u128).ok_or_else(opaque)?;
                let x = if op == LShr {
                    self.unsigned(a)?
                } else {
                    self.signed(a)?
                };
                Ok(self.make.divide_down(x, power(by as Width)?)?.0)
            }
            And => self.conjunction(a, b, width),
            Or | Xor => {
                let (f, g) = (self.pool.facts(a), self.pool.facts(b));
                let (x, y) = (self.number(a)?, self.number(b)?);
                let sum = self.make.sum(x, y)?;
                if f.zero | g.zero == mask(width) {
                    return Ok(sum);
                }
                let both = self.conjunction(a, b, width)?;
                let both = self.make.product(both, if op == Or { 1 } else { 2 })?;
                self.make.difference(sum, both)
            }
            _ => Err(opaque()),
        }
    }

    /// Translates the element of a table at an index.
    pub(super) fn element(
        &mut self,
        runs: &[(u64, Expr)],
        index: Number,
        width: Width,
    ) -> Fallible<Number> {
        // Constants are read in the way that leaves them nearest to each other.
        let values: Option<Vec<u128>> = runs.iter().map(|r| self.pool.as_const(r.1)).collect();
        let span = |v: &[i128]| {
            let (low, high) = (v.iter().min()?, v.iter().max()?);
            high.checked_sub(*low)
        };
        let values = values.and_then(|values| {
            let low: Vec<i128> = values.iter().map(|v| sign_extend(*v, width)).collect();
            let high: Option<Vec<i128>> = values.iter().map(|v| i128::try_from(*v).ok()).collect();
            let low_span = span(&low)?;
            let high = high.filter(|v| span(v).is_some_and(|s| s < low_span));
            Some(high.unwrap_or(low))
        });
        let mut elems = Vec::with_capacity(runs.len());
        for (i, (first, e)) in runs.iter().enumerate() {
            let elem = match &values {
                Some(values) => self.make.literal(values[i])?,
                None => self.number(*e)?,
            };
            elems.push((*first as i128, elem));
        }
        let chosen = self.element_of(&elems, index, width)?;
        if let Some(values) = values.filter(|v| v.len() <= MAX_CASES) {
            let mut cases = Vec::with_capacity(values.len());
            for (i, value) in values.into_iter().enumerate() {
                let condition = match elems.get(i + 1) {
                    Some(next) => self.make.less_than(index, next.0)?,
                    None => self.make.cx.truth(true)?,
                };
                cases.push((condition, value));
            }
            self.cases.insert(chosen.term, cases.into());
        }
        Ok(chosen)
    }

    fn element_of(
        &mut self,
        elems: &[(i128, Number)],
        index: Number,
        width: Width,
    ) -> Fallible<Number> {
        if let [only] = elems {
            return Ok(only.1);
        }
        let (low, high) = elems.split_at(elems.len() / 2);
        let below = self.make.less_than(index, high[0].0)?;
        let (t, o) = (
            self.element_of(low, index, width)?,
            self.element_of(high, index, width)?,
        );
        self.choose(below, t, o, width)
    }

    /// Returns the constants that a number may be, if they are few.
    fn cases(&self, n: Number) -> Option<Cases> {
        match n.as_const() {
            // The condition of the last is not looked at.
            Some(v) => Some(Rc::from([(n.term, v)])),
            None => self.cases.get(&n.term).cloned(),
        }
    }

    /// Makes an if-then-else over the results of `make` for each constant.
    fn by_cases(
        &mut self,
        cases: &[(Term, i128)],
        make: impl Fn(&mut Self, i128) -> Fallible<Number>,
    ) -> Fallible<Number> {
        let (last, others) = cases.split_last().ok_or_else(opaque)?;
        let mut result = make(self, last.1)?;
        for (condition, v) in others.iter().rev() {
            let this = make(self, *v)?;
            result = self.make.either(*condition, this, result)?;
        }
        Ok(result)
    }

    /// Multiplies a number by a factor, starting from its representative nearest to zero where
    /// necessary.
    fn scaled(&mut self, of: Expr, x: Number, factor: i128) -> Fallible<Number> {
        match self.make.product(x, factor) {
            Err(BackEndFailure(why)) if !why.starts_with("Z3") => {
                let x = self.signed(of)?;
                self.make.product(x, factor)
            }
            done => done,
        }
    }

    pub(super) fn times(&mut self, of: Expr, x: Number, bits: Width) -> Fallible<Number> {
        self.scaled(of, x, power(bits)?)
    }

    /// Translates a bitwise and in which one operand is a constant or has all bits alike.
    fn conjunction(&mut self, a: Expr, b: Expr, width: Width) -> Fallible<Number> {
        for (x, other) in [(a, b), (b, a)] {
            let n = self.number(x)?;
            if let Some(c) = self.pool.as_const(other) {
                let zero = self.pool.facts(x).zero;
                let ones = mask(width);
                let runs = [c | zero, c & !zero]
                    .map(|m| mask_runs(m & ones))
                    .into_iter()
                    .min_by_key(|r| r.len())
                    .filter(|r| r.len() <= MAX_MASK_RUNS)
                    .ok_or_else(opaque)?;
                return self.masked(n, &runs, width);
            }
            // A sign.
            if n.lo >= -1 && n.hi <= 0 {
                let (set, other) = (self.make.less_than(n, 0)?, self.number(other)?);
                let zero = self.make.literal(0)?;
                return self.make.either(set, other, zero);
            }
        }
        Err(opaque())
    }

    fn masked(&mut self, n: Number, runs: &[(Width, Width)], width: Width) -> Fallible<Number> {
        let mut sum = self.make.literal(0)?;
        for (from, to) in runs {
            let mut part = match from {
                0 => n,
                _ => self.make.divide_down(n, power(*from)?)?.0,
            };
            // Congruent is enough where the mask goes to the top.
            if *to < width {
                part = self.make.divide_down(part, power(to - from)?)?.1;
            }
            let part = self.make.product(part, power(*from)?)?;
            sum = self.make.sum(sum, part)?;
        }
        Ok(sum)
    }
}
