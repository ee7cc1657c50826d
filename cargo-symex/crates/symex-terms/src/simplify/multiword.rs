//! Simplification of multi-word arithmetic on limbs, as big integers do it: dividing limb by limb,
//! high to low, and multiplying with carries, low to high, both by a constant, is one division or
//! one product of the whole number. Limbs are the parts of a concatenation. Their sizes follow from
//! the extracts and extensions, not from the width of the single steps.

use crate::build::mask;
use crate::node::*;
use crate::op::BinOp;
use crate::pool::Pool;

/// Strips zero-extensions and slices that lose nothing, leaving a term of the same number.
pub(super) fn bare(p: &Pool, e: Expr) -> Expr {
    let mut e = e;
    loop {
        e = match p.kind(e) {
            Kind::ZExt(a) => a,
            Kind::Extract { of, lo: 0 } if p.facts(of).max <= mask(p.width(e)) => of,
            _ => return e,
        };
    }
}

impl Pool {
    /// Returns dividend and divisor, if the term is an unsigned quotient by a constant, possibly
    /// extended or sliced without loss.
    pub fn as_quotient(&self, e: Expr) -> Option<(Expr, u128)> {
        by_constant(self, BinOp::UDiv, bare(self, e))
    }
}

/// Returns the term whose lowest bits these are.
fn low_bits_of(p: &Pool, e: Expr) -> Expr {
    match p.kind(e) {
        Kind::Extract { of, lo: 0 } => of,
        _ => bare(p, e),
    }
}

/// Splits `x op c` with a constant `c` into `x` and `c`.
pub(super) fn by_constant(p: &Pool, op: BinOp, e: Expr) -> Option<(Expr, u128)> {
    match p.kind(e) {
        Kind::Bin(o, x, c) if o == op => Some((x, p.as_const(c)?)),
        _ => None,
    }
}

/// match: ((h % c) ++ l) / c, ((h % c) ++ l) % c
/// result: the low bits of (h ++ l) / c, (h ++ l) % c
pub(super) fn divide_limb(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (c, w) = (p.as_const(b)?, p.width(a));
    let Kind::Concat { hi, lo } = p.kind(bare(p, a)) else {
        return None;
    };
    let (h, d) = by_constant(p, BinOp::URem, bare(p, hi))?;
    let (wh, wl) = (p.width(h), p.width(lo));
    if c != d || c == 0 || wh + wl > MAX_WIDTH {
        return None;
    }
    let n = p.concat(h, lo);
    let c = p.constant(wh + wl, c);
    let whole = p.bin(op, n, c);
    match op {
        // The remainder of the limbs above is below c, so the quotient fits into a limb.
        BinOp::UDiv => {
            let low = p.extract(whole, 0, wl);
            Some(p.resize(low, w))
        }
        BinOp::URem => Some(p.resize(whole, w)),
        _ => None,
    }
}

/// match: (h / c)[0..] ++ (n / c)[0..k], where h is n[k..]
/// result: (n / c)[0..]
pub(super) fn concat_of_quotients(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let Kind::Extract { of: q, lo: 0 } = p.kind(lo) else {
        return None;
    };
    let (n, c) = by_constant(p, BinOp::UDiv, q)?;
    let (h, d) = by_constant(p, BinOp::UDiv, low_bits_of(p, hi))?;
    let (wh, wl, wq) = (p.width(hi), p.width(lo), p.width(q));
    if c != d {
        return None;
    }
    let above = p.extract(n, wl, wq - wl);
    if bare(p, above) != bare(p, h) {
        return None;
    }
    let joined = p.extract(q, 0, (wh + wl).min(wq));
    Some(p.resize(joined, wh + wl))
}

/// match: h * c + ((l * c)[k..]), where l has k bits and its product loses none
/// result: ((h ++ l) * c)[k..]
pub(super) fn add_carry_of_product(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    carry_onto(p, a, b).or_else(|| carry_onto(p, b, a))
}

fn carry_onto(p: &mut Pool, product: Expr, carry: Expr) -> Option<Expr> {
    let w = p.width(product);
    let (h, c) = by_constant(p, BinOp::Mul, product)?;
    let carry = match p.kind(carry) {
        Kind::ZExt(a) => a,
        _ => carry,
    };
    let Kind::Extract { of: low, lo: k } = p.kind(carry) else {
        return None;
    };
    let (l, d) = by_constant(p, BinOp::Mul, low)?;
    let fits = |v: Option<u128>| v.is_some_and(|v| v <= mask(p.width(low)));
    if c != d
        || w + k > MAX_WIDTH
        || p.facts(l).max > mask(k)
        || !fits(p.facts(l).max.checked_mul(c))
        || p.facts(low).max >> k > mask(p.width(carry))
    {
        return None;
    }
    let l = p.extract(l, 0, k);
    let whole = p.concat(h, l);
    let c = p.constant(w + k, c);
    let product = p.bin(BinOp::Mul, whole, c);
    Some(p.extract(product, k, w))
}

/// match: (q[0..k] == 0) & (q[k..] == 0), where q is a quotient and its upper limb's equality has
///        become an order
/// result: q == 0, as an order
pub(super) fn and_of_zero_limbs(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    zero_limbs(p, a, b).or_else(|| zero_limbs(p, b, a))
}

fn zero_limbs(p: &mut Pool, low: Expr, high: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::Eq, limb, zero) = p.kind(low) else {
        return None;
    };
    let Kind::Extract { of: q, lo: 0 } = p.kind(limb) else {
        return None;
    };
    let (n, c) = by_constant(p, BinOp::UDiv, q)?;
    let (wl, w) = (p.width(limb), p.width(n));
    if p.as_const(zero)? != 0 || c > mask(w - wl) {
        return None;
    }
    let above = p.extract(n, wl, w - wl);
    let c_above = p.constant(w - wl, c);
    if p.ult(above, c_above) != high {
        return None;
    }
    let c = p.constant(w, c);
    Some(p.ult(n, c))
}
