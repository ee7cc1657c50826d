//! Translation of operators to integer arithmetic, one at a time, whose operands are translated
//! already.

use super::integer::{Cases, Integers, opaque};
use super::number::{Number, beyond, divide_up, modulus};
use super::raw::{Fallible, Int, Term};
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
                let value = match op {
                    UMulO => Self::unsigned,
                    _ => Self::signed,
                };
                let (x, y) = (value(self, a)?, value(self, b)?);
                let product = self.multiple(x, y)?;
                let width = self.pool.width(a);
                let (least, most) = match op {
                    UMulO => (Int::ZERO, modulus(width) - 1),
                    _ => (-modulus(width - 1), modulus(width - 1) - 1),
                };
                let (below, above) = (
                    self.make.less_than(product, least)?,
                    self.make.more_than(product, most)?,
                );
                self.make.cx.or(below, above)
            }
            _ => Err(opaque()),
        }
    }

    /// Makes the product of two numbers.
    fn multiple(&mut self, x: Number, y: Number) -> Fallible<Number> {
        match self.constant_factor(x, y) {
            Some((factors, is_first)) => {
                let other = if is_first { y } else { x };
                self.by_cases(&factors, |s, factor| s.make.product(other, factor))
            }
            None => self.make.multiply(x, y),
        }
    }

    fn equal(&mut self, a: Expr, b: Expr) -> Fallible<Term> {
        let width = self.pool.width(a);
        let (x, y) = (self.number(a)?, self.number(b)?);
        let low = x.lo.checked_sub(y.hi).ok_or_else(beyond)?;
        let high = x.hi.checked_sub(y.lo).ok_or_else(beyond)?;
        let m = modulus(width);
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
                .unwrap_or(Int::MAX)
        };
        let m = modulus(width);
        if span(best) >= m {
            for window in [(Int::ZERO, m - 1), (-(m / 2), m / 2 - 1)] {
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
                    Err(failure) if failure.is_of_z3() => Err(failure),
                    Err(_) => {
                        let (x, y) = (self.signed(a)?, self.signed(b)?);
                        combine(self, x, y)
                    }
                }
            }
            Mul => {
                let (x, y) = (self.number(a)?, self.number(b)?);
                let Some((factors, is_first)) = self.constant_factor(x, y) else {
                    return self.product_of(a, b);
                };
                let (of, other) = if is_first { (b, y) } else { (a, x) };
                self.by_cases(&factors, |s, factor| s.scaled(of, other, factor))
            }
            UDiv | URem => {
                let (x, y) = (self.unsigned(a)?, self.unsigned(b)?);
                let Some(by) = self.cases(y) else {
                    let (q, r) = self.make.divide_unsigned(x, y)?;
                    let ones = self.make.literal(mask(width))?;
                    return match op {
                        UDiv => self.unless_zero(y, q, ones),
                        _ => self.unless_zero(y, r, x),
                    };
                };
                self.by_cases(&by, |s, by| {
                    if by <= 0 {
                        return Err(opaque());
                    }
                    let (q, r) = s.make.divide_down(x, by)?;
                    Ok(if op == UDiv { q } else { r })
                })
            }
            SDiv | SRem => {
                let x = self.signed(a)?;
                let Some(c) = c else {
                    return self.signed_division(op, x, b, width);
                };
                let by = sign_extend(c, width);
                if by == 0 {
                    return Err(opaque());
                }
                let (q, r) = self.make.divide_to_zero(x, Int::from(by).abs())?;
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
                Ok(self.make.divide_down(x, modulus(by as Width))?.0)
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

    /// Translates a product of two terms that may be many numbers each.
    fn product_of(&mut self, a: Expr, b: Expr) -> Fallible<Number> {
        let (x, y) = (self.number(a)?, self.number(b)?);
        // A multiple of a divisor is that of the division.
        for value in [Self::unsigned, Self::signed] {
            let [x, y] = [value(self, a), value(self, b)];
            if let (Ok(x), Ok(y)) = (x, y)
                && let Some(known) = self.make.products.find(x, y)
            {
                return Ok(known);
            }
        }
        match self.make.multiply(x, y) {
            Err(failure) if !failure.is_of_z3() => {
                let (x, y) = (self.signed(a)?, self.signed(b)?);
                self.make.multiply(x, y)
            }
            made => made,
        }
    }

    /// Translates a signed division by a term that is not constant.
    fn signed_division(&mut self, op: BinOp, x: Number, b: Expr, width: Width) -> Fallible<Number> {
        let y = self.signed(b)?;
        let (q, r) = self.make.divide_signed(x, y, width)?;
        if op == BinOp::SRem {
            return self.unless_zero(y, r, x);
        }
        let (one, minus_one) = (self.make.literal(1)?, self.make.literal(-1)?);
        let negative = self.make.less_than(x, 0)?;
        let by_zero = self.make.either(negative, one, minus_one)?;
        self.unless_zero(y, q, by_zero)
    }

    /// Makes the result of a division, which is another where the divisor is zero.
    fn unless_zero(&mut self, y: Number, result: Number, by_zero: Number) -> Fallible<Number> {
        if y.lo > 0 || y.hi < 0 {
            return Ok(result);
        }
        let zero = self.make.literal(0)?;
        let is_zero = self.make.same(y, zero)?;
        self.make.either(is_zero, by_zero, result)
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
        let span = |v: &[Int]| {
            let (low, high) = (v.iter().min()?, v.iter().max()?);
            high.checked_sub(*low)
        };
        let values = values.and_then(|values| {
            let signed = values.iter().map(|v| sign_extend(*v, width).into());
            let (signed, unsigned): (Vec<Int>, Vec<Int>) = (
                signed.collect(),
                values.iter().map(|v| (*v).into()).collect(),
            );
            match span(&unsigned)? < span(&signed)? {
                true => Some(unsigned),
                false => Some(signed),
            }
        });
        let mut elems = Vec::with_capacity(runs.len());
        for (i, (first, e)) in runs.iter().enumerate() {
            let elem = match &values {
                Some(values) => self.make.literal(values[i])?,
                None => self.number(*e)?,
            };
            elems.push(((*first).into(), elem));
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
        elems: &[(Int, Number)],
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

    /// Returns the constants that one factor of a product may be, if they are few, and whether that
    /// is the first.
    fn constant_factor(&self, x: Number, y: Number) -> Option<(Cases, bool)> {
        match self.cases(y) {
            Some(factors) => Some((factors, false)),
            None => self.cases(x).map(|factors| (factors, true)),
        }
    }

    /// Makes an if-then-else over the results of `make` for each constant.
    fn by_cases(
        &mut self,
        cases: &[(Term, Int)],
        make: impl Fn(&mut Self, Int) -> Fallible<Number>,
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
    fn scaled(&mut self, of: Expr, x: Number, factor: Int) -> Fallible<Number> {
        match self.make.product(x, factor) {
            Err(failure) if !failure.is_of_z3() => {
                let x = self.signed(of)?;
                self.make.product(x, factor)
            }
            done => done,
        }
    }

    pub(super) fn times(&mut self, of: Expr, x: Number, bits: Width) -> Fallible<Number> {
        self.scaled(of, x, modulus(bits))
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
                _ => self.make.divide_down(n, modulus(*from))?.0,
            };
            // Congruent is enough where the mask goes to the top.
            if *to < width {
                part = self.make.divide_down(part, modulus(to - from))?.1;
            }
            let part = self.make.product(part, modulus(*from))?;
            sum = self.make.sum(sum, part)?;
        }
        Ok(sum)
    }
}
