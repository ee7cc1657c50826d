//! An input as a quotient and a remainder, which are inputs of their own.

use super::uses::{Part, Shifted, Use, number_of, range};
use symex_terms::{Assignment, BinOp, Expr, Kind, Pool, Var, VarInfo, Width, mask};

/// An input put as `quotient * divisor + remainder + base`.
#[derive(Clone, Debug)]
pub struct Split {
    var: Var,
    width: Width,
    /// Least and greatest number that the input is.
    range: (i128, i128),
    signed: bool,
    quotient: Var,
    remainder: Var,
    divisor: i128,
    base: i128,
    /// Greatest quotient.
    most: i128,
}

impl Split {
    /// Splits an input by a divisor that divides the range of its values; `None` if that leaves
    /// nothing to split. The quotient begins with that of the least value of `of`.
    pub fn new(pool: &mut Pool, of: Shifted, divisor: i128) -> Option<Split> {
        let info = pool.var_info(of.var).clone();
        let range = range(info.width, of.signed);
        let least = (range.0 + of.offset).div_euclid(divisor);
        let most = (range.1 + of.offset).div_euclid(divisor) - least;
        let base = least * divisor - of.offset;
        if most < 1 || divisor < 2 {
            return None;
        }
        let mut part = |kind: &str, most: i128| {
            let part = pool.var(VarInfo {
                name: format!("{}/{kind}{divisor}+{base}", info.name).into(),
                width: 128 - most.leading_zeros(),
                origin: info.origin.clone(),
            });
            match pool.kind(part) {
                Kind::Var(var) => var,
                other => unreachable!("{other:?} is a variable"),
            }
        };
        Some(Split {
            var: of.var,
            width: info.width,
            range,
            signed: of.signed,
            quotient: part("q", most),
            remainder: part("r", divisor - 1),
            divisor,
            base,
            most,
        })
    }

    /// Returns the input that is split.
    pub fn var(&self) -> Var {
        self.var
    }

    /// Returns the constraints on quotient and remainder, of which some may be constant: together
    /// they are a number that the input may be.
    pub fn constraints(&self, pool: &mut Pool) -> Vec<Expr> {
        let (q, r) = (pool.term_of(self.quotient), pool.term_of(self.remainder));
        let mut at_most = |e, most: i128| {
            let most = pool.constant(pool.width(e), most as u128);
            pool.ule(e, most)
        };
        let (quotient, remainder) = (at_most(q, self.most), at_most(r, self.divisor - 1));
        let top = self.at_most(pool, self.range.1 - self.base);
        let below = self.at_most(pool, self.range.0 - self.base - 1);
        vec![quotient, remainder, top, pool.not(below)]
    }

    /// Makes `quotient * divisor + remainder <= number`.
    fn at_most(&self, pool: &mut Pool, number: i128) -> Expr {
        let (q, r) = (
            number.div_euclid(self.divisor),
            number.rem_euclid(self.divisor),
        );
        if q < 0 || q > self.most {
            return pool.bool(q > 0);
        }
        let (quotient, remainder) = (pool.term_of(self.quotient), pool.term_of(self.remainder));
        let q = pool.constant(pool.width(quotient), q as u128);
        if r == self.divisor - 1 {
            return pool.ule(quotient, q);
        }
        let r = pool.constant(pool.width(remainder), r as u128);
        let below = pool.ult(quotient, q);
        let same = pool.eq(quotient, q);
        let rest = pool.ule(remainder, r);
        let edge = pool.and(same, rest);
        pool.or(below, edge)
    }

    /// Makes what a use of the input is, for the term that it is in; `None` if the input is read as
    /// another number there.
    pub fn replacement(&self, pool: &mut Pool, term: Expr, used: &Use) -> Option<Expr> {
        let of = used.of();
        if of.var != self.var || of.signed != self.signed {
            return None;
        }
        // The number is `quotient * divisor + remainder + add`.
        let add = self.base + of.offset;
        let width = pool.width(term);
        Some(match *used {
            Use::Number(_) => self.number(pool, width, add),
            Use::AtMost(_, c) => self.at_most(pool, c - add),
            Use::Above(_, c) => {
                let not = self.at_most(pool, c - add);
                pool.not(not)
            }
            Use::Equals(_, c) => {
                let least = self.at_most(pool, c - add - 1);
                let most = self.at_most(pool, c - add);
                let least = pool.not(least);
                pool.and(least, most)
            }
            Use::Division { by, part, .. } => self.division(pool, width, add, by as i128, part)?,
        })
    }

    /// Makes the input itself.
    pub fn whole(&self, pool: &mut Pool) -> Expr {
        self.number(pool, self.width, self.base)
    }

    /// Makes the number itself, as a term of a width.
    fn number(&self, pool: &mut Pool, width: Width, add: i128) -> Expr {
        let (q, r) = (pool.term_of(self.quotient), pool.term_of(self.remainder));
        self.sum(pool, width, [(q, self.divisor), (r, 1)], add)
    }

    fn sum(&self, pool: &mut Pool, width: Width, terms: [(Expr, i128); 2], add: i128) -> Expr {
        let mut sum = pool.constant(width, add as u128 & mask(width));
        for (e, factor) in terms {
            let e = pool.resize(e, width);
            let factor = pool.constant(width, factor as u128 & mask(width));
            let product = pool.bin(BinOp::Mul, e, factor);
            sum = pool.add(sum, product);
        }
        sum
    }

    fn division(
        &self,
        pool: &mut Pool,
        width: Width,
        add: i128,
        by: i128,
        part: Part,
    ) -> Option<Expr> {
        if self.divisor % by != 0 {
            return None;
        }
        let (above, rest) = (add.div_euclid(by), add.rem_euclid(by));
        let (q, r) = (pool.term_of(self.quotient), pool.term_of(self.remainder));
        // Quotient and remainder, rounded down, of `remainder + rest`, which may take a bit more.
        let bits = (128 - (self.divisor + rest).leading_zeros()).max(pool.width(r));
        let low = {
            let r = pool.zext(r, bits);
            let rest = pool.constant(bits, rest as u128);
            pool.add(r, rest)
        };
        let by_term = pool.constant(bits, by as u128);
        let floor = |pool: &mut Pool| {
            let low = match by == self.divisor && rest == 0 {
                true => pool.constant(bits, 0),
                false => pool.bin(BinOp::UDiv, low, by_term),
            };
            self.sum(pool, width, [(q, self.divisor / by), (low, 1)], above)
        };
        let modulo = |pool: &mut Pool, width| {
            let low = match by == self.divisor && rest == 0 {
                true => low,
                false => pool.bin(BinOp::URem, low, by_term),
            };
            pool.resize(low, width)
        };
        // Towards zero, a negative number's quotient is one more, unless the remainder is 0.
        let is_negative = |pool: &mut Pool| {
            let negative = self.at_most(pool, -add - 1);
            let modulo = modulo(pool, bits);
            let zero = pool.constant(bits, 0);
            let none = pool.eq(modulo, zero);
            let some = pool.not(none);
            pool.and(negative, some)
        };
        let corrected = |pool: &mut Pool, e: Expr, by: i128| {
            let by = pool.constant(width, by as u128 & mask(width));
            let other = pool.add(e, by);
            let negative = is_negative(pool);
            pool.ite(negative, other, e)
        };
        Some(match part {
            Part::Floor => floor(pool),
            Part::Modulo => modulo(pool, width),
            Part::Digit(unit) => {
                let low = modulo(pool, bits);
                let unit = pool.constant(bits, unit);
                let digit = pool.bin(BinOp::UDiv, low, unit);
                pool.resize(digit, width)
            }
            Part::IsNegative => is_negative(pool),
            Part::Quotient => {
                let floor = floor(pool);
                corrected(pool, floor, 1)
            }
            Part::Remainder => {
                let modulo = modulo(pool, width);
                corrected(pool, modulo, -by)
            }
        })
    }

    /// Adds quotient and remainder of the input's value to an assignment.
    pub fn add_to(&self, assignment: &mut Assignment) {
        let value = number_of(self.width, assignment.get(self.var), self.signed) - self.base;
        assignment.set(self.quotient, value.div_euclid(self.divisor) as u128);
        assignment.set(self.remainder, value.rem_euclid(self.divisor) as u128);
    }

    /// Replaces quotient and remainder in an assignment by the input's value.
    pub fn join_in(&self, assignment: &mut Assignment) {
        let [q, r] = [self.quotient, self.remainder].map(|v| assignment.get(v) as i128);
        let value = q * self.divisor + r + self.base;
        assignment.set(self.var, value as u128 & mask(self.width));
        assignment.set(self.quotient, 0);
        assignment.set(self.remainder, 0);
    }
}
