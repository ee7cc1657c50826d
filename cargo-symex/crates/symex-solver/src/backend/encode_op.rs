//! Encoding of integer operators, one at a time, whose operands are encoded already.

use super::division::Dividend;
use super::encode::Encoder;
use super::raw::{Fallible, Term};
use symex_terms::{BinOp, Expr, Pool, Rounding, UnOp, Width, mask};
use z3_sys::*;

/// Number of encoded terms from which on their hashes in Z3 matter.
const MANY_TERMS: usize = 4096;

impl Encoder {
    pub(super) fn un(&mut self, pool: &Pool, op: UnOp, a: Expr) -> Fallible<Term> {
        let width = pool.width(a);
        match op {
            UnOp::Not if width == 1 => self.cx.not(self.term(a)),
            UnOp::Not => self.cx.unary(Z3_mk_bvnot, self.term(a)),
            UnOp::Popcount => {
                let bits = self.bits(pool, a)?;
                let count = self.popcount(bits, width)?;
                self.natural(count, width)
            }
            UnOp::Clz | UnOp::Ctz => {
                let bits = self.bits(pool, a)?;
                let count = self.count_zeros(bits, width, op == UnOp::Clz)?;
                self.natural(count, width)
            }
            UnOp::FSqrt => self.float_sqrt(pool, a),
            UnOp::FIsNan => self.float_is_nan(pool, a),
            UnOp::FRoundEven => self.float_round(pool, Rounding::NearestEven, a),
            UnOp::FRoundAway => self.float_round(pool, Rounding::NearestAway, a),
            UnOp::FRoundZero => self.float_round(pool, Rounding::Zero, a),
            UnOp::FRoundUp => self.float_round(pool, Rounding::Up, a),
            UnOp::FRoundDown => self.float_round(pool, Rounding::Down, a),
        }
    }

    /// Returns the operands of an operator in the order in which Z3 gets them: where there are many
    /// terms and the order does not matter, the one made later, which is the deeper one, comes
    /// first.
    ///
    /// The hash that Z3 4.8.12 keeps its terms by forgets most of the second operand: those of a
    /// long chain of second operands have some hundred hashes in all, and its table grows to
    /// gigabytes in a single call, which nothing interrupts.
    fn ordered(&self, op: BinOp, a: Expr, b: Expr) -> (Expr, Expr) {
        if op.is_commutative() && a < b && self.len() > MANY_TERMS {
            (b, a)
        } else {
            (a, b)
        }
    }

    pub(super) fn bin(&mut self, pool: &Pool, op: BinOp, a: Expr, b: Expr) -> Fallible<Term> {
        use BinOp::*;
        if pool.width(a) == 1 {
            let (x, y) = (self.term(a), self.term(b));
            match op {
                And => return self.cx.and(&[x, y]),
                Or => return self.cx.or(x, y),
                Xor => return self.cx.binary(Z3_mk_xor, x, y),
                Eq => return self.cx.eq(x, y),
                _ => {}
            }
        }
        let width = pool.width(a);
        let (a, b) = self.ordered(op, a, b);
        let (x, y) = (self.bits(pool, a)?, self.bits(pool, b)?);
        let arithmetic = match op {
            Add => self.cx.binary(Z3_mk_bvadd, x, y)?,
            Sub => self.cx.binary(Z3_mk_bvsub, x, y)?,
            Mul => self.cx.binary(Z3_mk_bvmul, x, y)?,
            UDiv => self.cx.binary(Z3_mk_bvudiv, x, y)?,
            SDiv => self.cx.binary(Z3_mk_bvsdiv, x, y)?,
            URem => self.cx.binary(Z3_mk_bvurem, x, y)?,
            SRem => self.cx.binary(Z3_mk_bvsrem, x, y)?,
            And => self.cx.binary(Z3_mk_bvand, x, y)?,
            Or => self.cx.binary(Z3_mk_bvor, x, y)?,
            Xor => self.cx.binary(Z3_mk_bvxor, x, y)?,
            Shl => self.cx.binary(Z3_mk_bvshl, x, y)?,
            LShr => self.cx.binary(Z3_mk_bvlshr, x, y)?,
            AShr => self.cx.binary(Z3_mk_bvashr, x, y)?,
            Eq => return self.cx.eq(x, y),
            ULt => return self.cx.binary(Z3_mk_bvult, x, y),
            ULe => return self.cx.binary(Z3_mk_bvule, x, y),
            SLt => return self.cx.binary(Z3_mk_bvslt, x, y),
            SLe => return self.cx.binary(Z3_mk_bvsle, x, y),
            UMulO | SMulO => return self.mul_overflows(x, y, width, op == SMulO),
            FAdd | FSub | FMul | FDiv | FRem | FEq | FLt | FLe => {
                return self.float_bin(pool, op, a, b);
            }
        };
        self.natural(arithmetic, width)
    }

    /// Encodes a quotient or remainder by a constant, together with the division that defines it.
    pub(super) fn divided(
        &mut self,
        pool: &Pool,
        op: BinOp,
        a: Expr,
        b: Expr,
    ) -> Fallible<Option<(Term, u32)>> {
        let (Some(c), width) = (pool.as_const(b), pool.width(a)) else {
            return Ok(None);
        };
        let (signed, quotient) = match op {
            BinOp::UDiv => (false, true),
            BinOp::URem => (false, false),
            BinOp::SDiv => (true, true),
            BinOp::SRem => (true, false),
            _ => return Ok(None),
        };
        if width == 1 {
            return Ok(None);
        }
        let negative = signed && c >> (width - 1) == 1;
        let magnitude = if negative {
            c.wrapping_neg() & mask(width)
        } else {
            c
        };
        let dividend = if signed {
            Dividend::Magnitude(a)
        } else {
            Dividend::Number(a)
        };
        let Some(id) = self.division(pool, dividend, magnitude)? else {
            return Ok(None);
        };
        let division = &self.divisions[id as usize];
        let mut result = if quotient {
            division.quotient
        } else {
            division.remainder
        };
        if signed {
            // The remainder has the sign of the dividend, the quotient that of the product.
            let bits = self.bits(pool, a)?;
            let mut turn = self.is_negative(bits, width)?;
            if quotient && negative {
                turn = self.cx.not(turn)?;
            }
            result = self.negated_if(turn, result)?;
        }
        Ok(Some((result, id)))
    }

    /// Encodes overflow of a product. Z3's own predicate for signed products is wrong in version
    /// 4.8.12 (it calls 32 * -1 in eight bits an overflow) and is not used.
    fn mul_overflows(&mut self, x: Term, y: Term, width: Width, signed: bool) -> Fallible<Term> {
        if !signed && width > 2 {
            let fits = self.cx.unsigned_product_fits(x, y)?;
            return self.cx.not(fits);
        }
        if signed && width > 64 {
            return self.magnitudes_overflow(x, y, width);
        }
        // The whole product is compared with what its low half stands for.
        let widen = |t| {
            if signed {
                self.cx.sign_extend(t, width)
            } else {
                self.cx.zero_extend(t, width)
            }
        };
        let product = self.cx.binary(Z3_mk_bvmul, widen(x)?, widen(y)?)?;
        let low = self.cx.extract(product, 0, width)?;
        let again = widen(low)?;
        let fits = self.cx.eq(product, again)?;
        self.cx.not(fits)
    }

    /// Encodes signed overflow by the product of the magnitudes, which must not pass the bound that
    /// the sign gives.
    fn magnitudes_overflow(&mut self, x: Term, y: Term, width: Width) -> Fallible<Term> {
        let zero = self.bv_numeral(width, 0)?;
        let sign_and_magnitude = |t| {
            let negative = self.cx.binary(Z3_mk_bvslt, t, zero)?;
            let negated = self.cx.unary(Z3_mk_bvneg, t)?;
            Ok((negative, self.cx.ite(negative, negated, t)?))
        };
        let ((nx, mx), (ny, my)) = (sign_and_magnitude(x)?, sign_and_magnitude(y)?);
        let negative = self.cx.binary(Z3_mk_xor, nx, ny)?;
        let least = self.bv_numeral(width, 1 << (width - 1))?;
        let greatest = self.bv_numeral(width, mask(width - 1))?;
        let bound = self.cx.ite(negative, least, greatest)?;
        let product = self.cx.binary(Z3_mk_bvmul, mx, my)?;
        let within = self.cx.binary(Z3_mk_bvule, product, bound)?;
        let fits = self.cx.unsigned_product_fits(mx, my)?;
        let fits = self.cx.and(&[fits, within])?;
        self.cx.not(fits)
    }

    /// Encodes a population count by summing neighbours, then neighbours of sums: each sum has just
    /// the bits it needs.
    fn popcount(&mut self, bits: Term, width: Width) -> Fallible<Term> {
        let mut sums: Vec<(Term, Width)> = Vec::with_capacity(width as usize);
        for i in 0..width {
            sums.push((self.cx.extract(bits, i, 1)?, 1));
        }
        while sums.len() > 1 {
            let mut next = Vec::with_capacity(sums.len().div_ceil(2));
            for pair in sums.chunks(2) {
                match *pair {
                    [(a, wa), (b, wb)] => {
                        let w = wa.max(wb) + 1;
                        let (a, b) = (
                            self.cx.zero_extend(a, w - wa)?,
                            self.cx.zero_extend(b, w - wb)?,
                        );
                        next.push((self.cx.binary(Z3_mk_bvadd, a, b)?, w));
                    }
                    _ => next.push(pair[0]),
                }
            }
            sums = next;
        }
        self.fit(sums[0].0, sums[0].1, width)
    }

    /// Encodes a count of zeros by halving the term: each step keeps the half with the first set
    /// bit, and gives one bit of the count.
    fn count_zeros(&mut self, bits: Term, width: Width, leading: bool) -> Fallible<Term> {
        let all = self.bv_numeral(width, width as u128 & mask(width))?;
        let zero = self.bv_numeral(width, 0)?;
        let none = self.cx.eq(bits, zero)?;
        let mut size = width.next_power_of_two();
        let mut rest = bits;
        if size > width {
            // Ones where they are looked at last.
            let pad = self.bv_numeral(size - width, mask(size - width))?;
            rest = if leading {
                self.cx.binary(Z3_mk_concat, rest, pad)?
            } else {
                self.cx.binary(Z3_mk_concat, pad, rest)?
            };
        }
        let mut count: Option<(Term, Width)> = None;
        while size > 1 {
            size /= 2;
            let (low, high) = (
                self.cx.extract(rest, 0, size)?,
                self.cx.extract(rest, size, size)?,
            );
            let (first, second) = if leading { (high, low) } else { (low, high) };
            let zero = self.bv_numeral(size, 0)?;
            let empty = self.cx.eq(first, zero)?;
            let (one_bit, zero_bit) = (self.bv_numeral(1, 1)?, self.bv_numeral(1, 0)?);
            let digit = self.cx.ite(empty, one_bit, zero_bit)?;
            count = Some(match count {
                None => (digit, 1),
                Some((so_far, w)) => (self.cx.binary(Z3_mk_concat, so_far, digit)?, w + 1),
            });
            rest = self.cx.ite(empty, second, first)?;
        }
        match count {
            // A single bit is its own inverse count.
            None => self.cx.unary(Z3_mk_bvnot, bits),
            Some((count, w)) => {
                let count = self.fit(count, w, width)?;
                self.cx.ite(none, all, count)
            }
        }
    }

    /// Converts a number of `from` bits that fits into `to` bits.
    pub(super) fn fit(&mut self, a: Term, from: Width, to: Width) -> Fallible<Term> {
        if from > to {
            self.cx.extract(a, 0, to)
        } else {
            self.cx.zero_extend(a, to - from)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::raw::Context;
    use crate::backend::z3::tests::input;
    use std::collections::HashSet;

    #[test]
    fn terms_of_a_long_chain_have_hashes_of_their_own() {
        let mut pool = Pool::new();
        let mut hash = input(&mut pool, 0, 64);
        let (prime, shift) = (pool.constant(64, 0x100_0000_01b3), pool.constant(64, 29));
        let bytes: Vec<Expr> = (1..=64).map(|i| input(&mut pool, i, 8)).collect();
        let bytes: Vec<Expr> = bytes.iter().map(|b| pool.zext(*b, 64)).collect();
        let mut chain = Vec::new();
        for i in 0..10_000 {
            let mixed = pool.bin(BinOp::Xor, bytes[i % bytes.len()], hash);
            let product = pool.bin(BinOp::Mul, prime, mixed);
            let high = pool.bin(BinOp::LShr, product, shift);
            hash = pool.bin(BinOp::Xor, high, product);
            chain.push(product);
        }
        let cx = Context::new().expect("a context");
        let mut encoder = Encoder::new(cx.clone(), true);
        encoder.encode(&pool, hash).expect("encoded");
        let hashes: HashSet<u32> = chain.iter().map(|e| cx.hash(encoder.term(*e))).collect();
        let (distinct, all) = (hashes.len(), chain.len());
        assert!(distinct > all / 2, "{distinct} hashes of {all} terms");
    }
}
