//! Normal form of sums: every term once, with a coefficient; a constant last.
//!
//! A sum is written `((t1 + t2) - t3) + c`: first the terms with positive coefficients, then the
//! others, each group with a base address first and then by handle; the constant is outermost, so
//! that stepping a pointer or a counter makes one node.

use super::multiword::{bare, by_constant};
use crate::build::mask;
use crate::node::*;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;
use smallvec::SmallVec;

/// Terms with their coefficients.
type SumTerms = SmallVec<[(Expr, u128); 8]>;

/// A linear combination of terms of one width, modulo `2^width`.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    pub width: Width,
    /// Terms with their coefficients, which may be zero.
    pub terms: SumTerms,
    pub constant: u128,
}

/// Greatest number of terms of a sum that is normalised. Longer sums are left as they are.
const MAX_TERMS: usize = 10;

impl Sum {
    /// Makes the sum `0`.
    pub fn zero(width: Width) -> Sum {
        Sum {
            width,
            terms: SmallVec::new(),
            constant: 0,
        }
    }

    /// Reads a term as a sum.
    pub fn of(p: &mut Pool, e: Expr) -> Option<Sum> {
        let mut sum = Sum::zero(p.width(e));
        sum.add(p, e, 1).then_some(sum)
    }

    /// Adds `factor * e`; false if there are too many terms.
    pub fn add(&mut self, p: &mut Pool, e: Expr, factor: u128) -> bool {
        let m = mask(self.width);
        let mut stack: SmallVec<[(Expr, u128); 8]> = SmallVec::new();
        stack.push((e, factor));
        let mut steps = 0;
        while let Some((e, k)) = stack.pop() {
            steps += 1;
            if steps > 4 * MAX_TERMS {
                return false;
            }
            match p.kind(e) {
                Kind::Const(c) => self.constant = self.constant.wrapping_add(c.wrapping_mul(k)) & m,
                Kind::Bin(BinOp::Add, a, b) => {
                    stack.push((b, k));
                    stack.push((a, k));
                }
                Kind::Bin(BinOp::Sub, a, b) => {
                    stack.push((b, k.wrapping_neg() & m));
                    stack.push((a, k));
                }
                Kind::Bin(BinOp::Mul, a, b) if p.as_const(b).is_some() => {
                    let c = p.as_const(b).unwrap_or(0);
                    stack.push((a, k.wrapping_mul(c) & m));
                }
                Kind::Un(UnOp::Not, a) if self.width > 1 => {
                    self.constant = self.constant.wrapping_sub(k) & m;
                    stack.push((a, k.wrapping_neg() & m));
                }
                // hi ++ c is hi * 2^n + c, where bits of hi that are shifted out do not matter.
                Kind::Concat { hi, lo } if p.as_const(lo).is_some() => {
                    let (c, n) = (p.as_const(lo).unwrap_or(0), p.width(lo));
                    self.constant = self.constant.wrapping_add(c.wrapping_mul(k)) & m;
                    let x = match p.kind(hi) {
                        Kind::Extract { of, lo: 0 } if p.width(of) == self.width => of,
                        _ => p.zext(hi, self.width),
                    };
                    stack.push((x, k << n & m));
                }
                _ => {
                    if !self.add_term(e, k) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn add_term(&mut self, e: Expr, k: u128) -> bool {
        match self.terms.iter_mut().find(|t| t.0 == e) {
            Some(t) => t.1 = t.1.wrapping_add(k) & mask(self.width),
            None => self.terms.push((e, k)),
        }
        self.terms.len() <= MAX_TERMS
    }

    /// Introduces remainders for a number minus a multiple of its quotient: `y - (y / c) * c` is `y
    /// % c`.
    pub fn take_remainders(&mut self, p: &mut Pool) {
        let m = mask(self.width);
        for i in 0..self.terms.len() {
            let (quotient, factor) = self.terms[i];
            let Some((y, c)) = quotient_of(p, quotient) else {
                continue;
            };
            if factor == 0 {
                continue;
            }
            let at = self.terms.iter().position(|t| {
                t.1 != 0
                    && t.1.wrapping_mul(c).wrapping_neg() & m == factor
                    && is_low_part(p, t.0, y)
            });
            let Some(at) = at else { continue };
            let k = self.terms[at].1;
            let c = p.constant(p.width(y), c);
            let rest = p.bin(BinOp::URem, y, c);
            let rest = p.resize(rest, self.width);
            self.terms[i].1 = 0;
            self.terms[at].1 = 0;
            self.add(p, rest, k);
        }
    }

    /// Returns this sum with extended sums split that cannot overflow in their own width, as `sext
    /// (a - b)` into `sext a - sext b`; `None` if there are none, or too many terms.
    pub fn opened(&self, p: &mut Pool) -> Option<Sum> {
        let (mut sum, mut any) = (self.clone(), false);
        let mut i = 0;
        // Terms that opening adds come last.
        while i < sum.terms.len() {
            let (e, k) = sum.terms[i];
            if k != 0
                && let Some((a, b, sign)) = extended_sum(p, e)
            {
                any = true;
                sum.terms[i].1 = 0;
                let (a, b) = (p.sext(a, self.width), p.sext(b, self.width));
                if !sum.add(p, a, k) || !sum.add(p, b, k.wrapping_mul(sign) & mask(self.width)) {
                    return None;
                }
                // A part that is an earlier term makes that one count again.
                i = 0;
                continue;
            }
            i += 1;
        }
        any.then_some(sum)
    }

    /// Returns the constant, if the sum always equals one.
    pub fn as_const(&self) -> Option<u128> {
        self.terms.iter().all(|t| t.1 == 0).then_some(self.constant)
    }

    /// Splits into terms with positive and with negative coefficients (made positive).
    pub fn by_sign(&self) -> (SumTerms, SumTerms) {
        let half = 1u128 << (self.width - 1);
        let present = || self.terms.iter().filter(|t| t.1 != 0).copied();
        let negated = |t: (Expr, u128)| (t.0, t.1.wrapping_neg() & mask(self.width));
        (
            present().filter(|t| t.1 <= half).collect(),
            present().filter(|t| t.1 > half).map(negated).collect(),
        )
    }

    /// Builds the term in normal form.
    pub fn build(&self, p: &mut Pool) -> Expr {
        let w = self.width;
        let (mut positive, mut negative) = self.by_sign();
        let key = |p: &Pool, t: &(Expr, u128)| (!matches!(p.kind(t.0), Kind::Base { .. }), t.0);
        positive.sort_unstable_by_key(|t| key(p, t));
        negative.sort_unstable_by_key(|t| key(p, t));
        let mut constant = self.constant;
        let mut whole: Option<Expr> = None;
        for (e, k) in positive {
            let e = scaled(p, e, k);
            whole = Some(match whole {
                Some(sum) => p.intern(Kind::Bin(BinOp::Add, sum, e), w),
                None => e,
            });
        }
        for (e, k) in negative {
            let e = scaled(p, e, k);
            let from = match whole {
                Some(sum) => sum,
                None if constant == mask(w) => {
                    constant = 0;
                    whole = Some(p.not(e));
                    continue;
                }
                None => {
                    let c = p.constant(w, constant);
                    constant = 0;
                    c
                }
            };
            whole = Some(p.intern(Kind::Bin(BinOp::Sub, from, e), w));
        }
        match whole {
            None => p.constant(w, constant),
            Some(sum) if constant == 0 => sum,
            Some(sum) => plus_constant(p, sum, constant),
        }
    }
}

/// Makes `sum + c`, where `sum` is in normal form and has no constant.
fn plus_constant(p: &mut Pool, sum: Expr, c: u128) -> Expr {
    let w = p.width(sum);
    let c = p.constant(w, c);
    // Filling the zeros below a shifted term.
    if let Kind::Concat { hi, lo } = p.kind(sum)
        && p.as_const(lo) == Some(0)
        && let Some(v) = p.as_const(c)
        && v <= mask(p.width(lo))
    {
        let filled = p.constant(p.width(lo), v);
        return p.concat(hi, filled);
    }
    p.intern(Kind::Bin(BinOp::Add, sum, c), w)
}

/// Splits `e` into `sext a + sext b` or `sext a - sext b`, with the second's sign: an extended sum
/// that cannot overflow.
fn extended_sum(p: &Pool, e: Expr) -> Option<(Expr, Expr, u128)> {
    let inner = match p.kind(e) {
        Kind::SExt(x) => x,
        Kind::ZExt(x) if p.facts(x).is_nonnegative(p.width(x)) => x,
        _ => return None,
    };
    let Kind::Bin(op @ (BinOp::Add | BinOp::Sub), a, b) = p.kind(inner) else {
        return None;
    };
    let (x, y, w) = (p.signed_range(a), p.signed_range(b), p.width(inner));
    if op == BinOp::Add {
        x.sum(y, w).map(|_| (a, b, 1))
    } else {
        x.difference(y, w).map(|_| (a, b, u128::MAX))
    }
}

/// Returns dividend and divisor of a quotient by a constant, or of its low bits.
fn quotient_of(p: &Pool, e: Expr) -> Option<(Expr, u128)> {
    let e = match p.kind(e) {
        Kind::Extract { of, lo: 0 } => of,
        _ => bare(p, e),
    };
    by_constant(p, BinOp::UDiv, e)
}

/// Reports whether this term is the low bits of the number, or all of it.
fn is_low_part(p: &mut Pool, e: Expr, of: Expr) -> bool {
    let w = p.width(e);
    bare(p, e) == bare(p, of) || p.resize(of, w) == e
}

fn scaled(p: &mut Pool, e: Expr, k: u128) -> Expr {
    if k.is_power_of_two() {
        return super::shift::shl(p, e, k.trailing_zeros());
    }
    let w = p.width(e);
    let k = p.constant(w, k);
    p.intern(Kind::Bin(BinOp::Mul, e, k), w)
}
