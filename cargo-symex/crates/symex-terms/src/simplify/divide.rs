//! Simplification of division and remainder.

use super::multiword::{bare, by_constant, divide_limb};
use super::rules;
use crate::build::mask;
use crate::node::*;
use crate::op::BinOp;
use crate::pool::Pool;

pub(super) fn bin(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (op, a, b): signed_as_unsigned);
    if p.as_const(b).is_some() {
        rules!(p, (op, a, b): divide_by_zero, signed_by_unit, signed_divide_narrow, unsigned_by_power_of_two, divide_quotient,
            remainder_of_remainder, divide_limb);
    }
    rules!(p, (op, a, b): divide_smaller, divide_narrow, signed_remainder_of_smaller);
    None
}

/// match: a /s b, a %s b, where neither can be negative
/// result: a / b, a % b
fn signed_as_unsigned(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let unsigned = match op {
        BinOp::SDiv => BinOp::UDiv,
        BinOp::SRem => BinOp::URem,
        _ => return None,
    };
    let w = p.width(a);
    (p.facts(a).is_nonnegative(w) && p.facts(b).is_nonnegative(w)).then(|| p.bin(unsigned, a, b))
}

/// match: a / 0, a % 0
/// result: what SMT-LIB says
fn divide_by_zero(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    if p.as_const(b)? != 0 {
        return None;
    }
    let w = p.width(a);
    Some(match op {
        BinOp::UDiv => p.constant(w, mask(w)),
        BinOp::SDiv => {
            let negative = p.extract(a, w - 1, 1);
            let (one, ones) = (p.constant(w, 1), p.constant(w, mask(w)));
            p.ite(negative, one, ones)
        }
        _ => a,
    })
}

/// match: a /s 1, a /s -1, a %s 1, a %s -1
/// result: a, 0 - a, 0
fn signed_by_unit(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (c, w) = (p.as_const(b)?, p.width(a));
    let (one, minus_one) = (c == 1, c == mask(w));
    let zero = p.constant(w, 0);
    match op {
        BinOp::SDiv if one => Some(a),
        BinOp::SDiv if minus_one => Some(p.sub(zero, a)),
        BinOp::SRem if one || minus_one => Some(zero),
        _ => None,
    }
}

/// match: a / 2^k, a % 2^k
/// result: zext a[k..], zext a[0..k]
fn unsigned_by_power_of_two(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (c, w) = (p.as_const(b)?, p.width(a));
    if !c.is_power_of_two() {
        return None;
    }
    let k = c.trailing_zeros();
    match op {
        BinOp::UDiv if k == 0 => Some(a),
        BinOp::URem if k == 0 => Some(p.constant(w, 0)),
        BinOp::UDiv => {
            let high = p.extract(a, k, w - k);
            Some(p.zext(high, w))
        }
        BinOp::URem => {
            let low = p.extract(a, 0, k);
            Some(p.zext(low, w))
        }
        _ => None,
    }
}

/// match: (x / c) / d, with constants whose product fits or not
/// result: x / (c * d), 0
fn divide_quotient(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, c) = by_constant(p, BinOp::UDiv, bare(p, a))?;
    let (d, w, wx) = (p.as_const(b)?, p.width(a), p.width(x));
    if op != BinOp::UDiv || c == 0 {
        return None;
    }
    Some(match c.checked_mul(d).filter(|v| *v <= mask(wx)) {
        Some(product) => {
            let product = p.constant(wx, product);
            let quotient = p.bin(BinOp::UDiv, x, product);
            p.resize(quotient, w)
        }
        None => p.constant(w, 0),
    })
}

/// match: (x % c) % d, with constants, where d divides c
/// result: x % d
fn remainder_of_remainder(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, c) = by_constant(p, BinOp::URem, bare(p, a))?;
    let (d, w, wx) = (p.as_const(b)?, p.width(a), p.width(x));
    if op != BinOp::URem || c == 0 || !c.is_multiple_of(d) {
        return None;
    }
    let d = p.constant(wx, d);
    let rest = p.bin(BinOp::URem, x, d);
    Some(p.resize(rest, w))
}

/// match: a / b, a % b, where a is always less than b
/// result: 0, a
fn divide_smaller(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    if p.facts(a).max >= p.facts(b).min {
        return None;
    }
    let w = p.width(a);
    match op {
        BinOp::UDiv => Some(p.constant(w, 0)),
        BinOp::URem => Some(a),
        _ => None,
    }
}

/// match: a / b, a % b, where the top bits of both are zero (and, dividing, b is not zero)
/// result: the same of the low bits, extended
fn divide_narrow(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y, w) = (p.facts(a), p.facts(b), p.width(a));
    let used = 128 - (x.max | y.max).leading_zeros();
    if used >= w || used == 0 {
        return None;
    }
    if !(op == BinOp::URem || op == BinOp::UDiv && y.min > 0) {
        return None;
    }
    let a = p.extract(a, 0, used);
    let b = p.extract(b, 0, used);
    let narrow = p.bin(op, a, b);
    Some(p.zext(narrow, w))
}

/// match: a %s b, where a is always nearer to zero than b
/// result: a
fn signed_remainder_of_smaller(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = (p.signed_range(a), p.signed_range(b));
    if op != BinOp::SRem || y.min <= 0 && y.max >= 0 {
        return None;
    }
    let most = x.min.unsigned_abs().max(x.max.unsigned_abs());
    let least = y.min.unsigned_abs().min(y.max.unsigned_abs());
    (most < least).then_some(a)
}

/// match: sext x /s c, sext x %s c, where c is a number of the width of x, too, and neither zero
///        nor -1
/// result: sext (x /s c), sext (x %s c)
fn signed_divide_narrow(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (Kind::SExt(x), BinOp::SDiv | BinOp::SRem) = (p.kind(a), op) else {
        return None;
    };
    let (c, w, narrow) = (p.signed_range(b), p.width(a), p.width(x));
    if c.fits(narrow).is_none() || matches!(c.min, 0 | -1) {
        return None;
    }
    let c = p.constant(narrow, c.min as u128 & mask(narrow));
    let result = p.bin(op, x, c);
    Some(p.sext(result, w))
}
