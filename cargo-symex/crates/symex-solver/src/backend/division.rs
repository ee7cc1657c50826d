//! Encoding of division by constants: quotient and remainder are variables, defined by a
//! constraint.
//!
//! Z3 makes a circuit of a division, through which a solver can hardly reason; `x = q * c + r` with
//! `r < c` is a product by a constant, shared by quotient and remainder. Definitions are asserted
//! with the terms that mention them, like the contents of tables. Two divisions of one number,
//! where one divisor divides the other, are linked when both are asserted: the larger divisor's
//! quotient is the smaller's divided once more. For the same reason, the division of a quotient is
//! defined by that of the first number.
//!
//! Invariant: definitions and links hold for the true values of their variables, so they never
//! exclude a solution, and a definition leaves its variables no other values.

use super::encode::{Definition, Encoder};
use super::raw::{Fallible, Term};
use rustc_hash::FxHashSet;
use symex_terms::{Expr, Pool, Width};
use z3_sys::*;

/// An encoded division of a number by a constant.
pub(super) struct Division {
    dividend: Dividend,
    width: Width,
    divisor: u128,
    /// Quotient and remainder, in the width of the dividend.
    pub quotient: Term,
    pub remainder: Term,
    /// Constraint that defines quotient and remainder.
    pub definition: Term,
    /// Division that the definition mentions, apart from those in the dividend.
    pub by: Option<u32>,
}

/// Dividend of a division.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Dividend {
    Number(Expr),
    /// Absolute value of a signed number.
    Magnitude(Expr),
}

impl Encoder {
    /// Encodes the division of an encoded term by a constant; `None` where Z3's own operator is as
    /// good.
    pub(super) fn division(
        &mut self,
        pool: &Pool,
        dividend: Dividend,
        divisor: u128,
    ) -> Fallible<Option<u32>> {
        if divisor == 0 || divisor.is_power_of_two() {
            return Ok(None);
        }
        if let Some(id) = self.division_ids.get(&(dividend, divisor)) {
            return Ok(Some(*id));
        }
        let (Dividend::Number(e) | Dividend::Magnitude(e)) = dividend;
        let width = pool.width(e);
        let bits = self.bits(pool, e)?;
        let (number, most) = match dividend {
            Dividend::Number(_) => (bits, pool.facts(e).max),
            Dividend::Magnitude(_) => {
                let range = pool.signed_range(e);
                let most = range.min.unsigned_abs().max(range.max.unsigned_abs());
                (self.magnitude(bits, width)?, most)
            }
        };
        let nested = self.divided_twice(pool, dividend, divisor)?;
        let (last_quotient, last_remainder) = (most / divisor, most % divisor);
        let id = self.divisions.len() as u32;
        let (q, quotient) = self.unknown(&format!("q{id}"), last_quotient, width)?;
        let (r, remainder) = self.unknown(&format!("r{id}"), divisor - 1, width)?;
        let c = self.bv_numeral(width, divisor)?;
        let multiple = self.cx.binary(Z3_mk_bvmul, quotient, c)?;
        let sum = self.cx.binary(Z3_mk_bvadd, multiple, remainder)?;
        let mut facts = vec![
            self.cx.eq(number, sum)?,
            q,
            r,
            self.cx.binary(Z3_mk_bvule, multiple, number)?,
        ];
        if last_remainder < divisor - 1 {
            // Above the last whole multiple there is less room than a divisor.
            let last = self.bv_numeral(width, last_quotient)?;
            let before = self.cx.binary(Z3_mk_bvult, quotient, last)?;
            let room = self.bv_numeral(width, last_remainder)?;
            let within = self.cx.binary(Z3_mk_bvule, remainder, room)?;
            facts.push(self.cx.or(before, within)?);
        }
        if let Some((first, whole)) = nested {
            // x / (c * d) is the quotient, and x % (c * d) the remainder times c and x % c.
            let (first, whole) = (
                &self.divisions[first as usize],
                &self.divisions[whole as usize],
            );
            let (wide, c) = (whole.width, first.divisor);
            let (q, r, rest) = (whole.quotient, whole.remainder, first.remainder);
            let same = self.fit(quotient, width, wide)?;
            facts.push(self.cx.eq(same, q)?);
            let (step, c) = (self.fit(remainder, width, wide)?, self.bv_numeral(wide, c)?);
            let above = self.cx.binary(Z3_mk_bvmul, step, c)?;
            let sum = self.cx.binary(Z3_mk_bvadd, above, rest)?;
            facts.push(self.cx.eq(r, sum)?);
        }
        let definition = self.cx.and(&facts)?;
        self.divisions.push(Division {
            dividend,
            width,
            divisor,
            quotient,
            remainder,
            definition,
            by: nested.map(|(_, whole)| whole),
        });
        self.division_ids.insert((dividend, divisor), id);
        Ok(Some(id))
    }

    /// Splits the division of a quotient: returns the first division, and the one by both divisors.
    fn divided_twice(
        &mut self,
        pool: &Pool,
        dividend: Dividend,
        divisor: u128,
    ) -> Fallible<Option<(u32, u32)>> {
        let Dividend::Number(e) = dividend else {
            return Ok(None);
        };
        let Some((x, c)) = pool.as_quotient(e) else {
            return Ok(None);
        };
        let both = c.checked_mul(divisor).filter(|v| *v <= pool.facts(x).max);
        // The first is encoded with the dividend.
        let first = self.division_ids.get(&(Dividend::Number(x), c)).copied();
        let (Some(both), Some(first)) = (both, first) else {
            return Ok(None);
        };
        let whole = self.division(pool, Dividend::Number(x), both)?;
        Ok(whole.map(|whole| (first, whole)))
    }

    /// Makes a variable of the bits that `most` needs, extended to `width`, with the constraint
    /// that it is at most `most`.
    fn unknown(&mut self, name: &str, most: u128, width: Width) -> Fallible<(Term, Term)> {
        let bits = (128 - most.leading_zeros()).max(1);
        let sort = self.bv_sort(bits)?;
        let variable = self.cx.constant(name, sort)?;
        let most = self.bv_numeral(bits, most)?;
        let within = self.cx.binary(Z3_mk_bvule, variable, most)?;
        Ok((within, self.cx.zero_extend(variable, width - bits)?))
    }

    /// Encodes the absolute value of a signed number.
    pub(super) fn magnitude(&mut self, bits: Term, width: Width) -> Fallible<Term> {
        let negative = self.is_negative(bits, width)?;
        self.negated_if(negative, bits)
    }

    pub(super) fn is_negative(&mut self, bits: Term, width: Width) -> Fallible<Term> {
        let zero = self.bv_numeral(width, 0)?;
        self.cx.binary(Z3_mk_bvslt, bits, zero)
    }

    pub(super) fn negated_if(&mut self, condition: Term, bits: Term) -> Fallible<Term> {
        let negated = self.cx.unary(Z3_mk_bvneg, bits)?;
        self.cx.ite(condition, negated, bits)
    }

    /// Returns the constraints that link a division to the nearest asserted ones of the same
    /// number: the largest divisor that divides its own, and the least that its own divides.
    pub(super) fn links(
        &self,
        definition: Definition,
        asserted: &FxHashSet<Definition>,
    ) -> Fallible<Vec<Term>> {
        let Definition::Division(id) = definition else {
            return Ok(Vec::new());
        };
        let own = &self.divisions[id as usize];
        let (mut below, mut above): (Option<u32>, Option<u32>) = (None, None);
        let divisor = |i: u32| self.divisions[i as usize].divisor;
        // In the order of their making, so that hashing decides nothing.
        for (i, d) in self.divisions.iter().enumerate() {
            let i = i as u32;
            if i == id || d.dividend != own.dividend || !asserted.contains(&Definition::Division(i))
            {
                continue;
            }
            if own.divisor.is_multiple_of(d.divisor) && below.is_none_or(|b| divisor(b) < d.divisor)
            {
                below = Some(i);
            }
            if d.divisor.is_multiple_of(own.divisor) && above.is_none_or(|a| divisor(a) > d.divisor)
            {
                above = Some(i);
            }
        }
        let mut links = Vec::new();
        if let Some(b) = below {
            links.push(self.link(b, id)?);
        }
        if let Some(a) = above {
            links.push(self.link(id, a)?);
        }
        Ok(links)
    }

    /// Links two divisions of one number, by `c` and by `k * c`: `q = q' * k + s`, `r' = s * c +
    /// r`, `s < k`.
    fn link(&self, small: u32, large: u32) -> Fallible<Term> {
        let (a, b) = (
            &self.divisions[small as usize],
            &self.divisions[large as usize],
        );
        let (cx, factor) = (&self.cx, b.divisor / a.divisor);
        let sort = cx.bv_sort(a.width)?;
        let step = cx.constant(&format!("s{small}.{large}"), sort)?;
        let (k, c) = (cx.numeral(factor, sort)?, cx.numeral(a.divisor, sort)?);
        let whole = cx.binary(Z3_mk_bvmul, b.quotient, k)?;
        let whole = cx.binary(Z3_mk_bvadd, whole, step)?;
        let rest = cx.binary(Z3_mk_bvmul, step, c)?;
        let rest = cx.binary(Z3_mk_bvadd, rest, a.remainder)?;
        cx.and(&[
            cx.eq(a.quotient, whole)?,
            cx.eq(b.remainder, rest)?,
            cx.binary(Z3_mk_bvult, step, k)?,
        ])
    }
}
