//! Sums, products and their overflow.

use super::multiword::{add_carry_of_product, by_constant};
use super::{Sum, pieces, rules, shift};
use crate::build::mask;
use crate::node::*;
use crate::number;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;

pub(super) fn add(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    if p.as_const(b).is_some() {
        rules!(p, (a, b): add_zero, add_constant_to_sum);
    }
    if !p.has_base(a) && !p.has_base(b) {
        rules!(p, (a, b): add_without_carry, add_carry_of_product);
    }
    if is_linear(p, a) || is_linear(p, b) || a == b {
        rules!(p, (a, b): add_sums);
    }
    rules!(p, (a, b): add_to_constant_ite);
    None
}

/// Reports whether a sum with this term may have another normal form.
fn is_linear(p: &Pool, e: Expr) -> bool {
    match p.kind(e) {
        Kind::Bin(BinOp::Add | BinOp::Sub, ..) | Kind::Un(UnOp::Not, _) => true,
        Kind::Bin(BinOp::Mul, _, c) | Kind::Concat { lo: c, .. } => p.as_const(c).is_some(),
        _ => false,
    }
}

/// match: a + 0
/// result: a
fn add_zero(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    (p.as_const(b)? == 0).then_some(a)
}

/// match: (x + c) + d
/// result: x + (c + d)
fn add_constant_to_sum(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::Add, x, c) = p.kind(a) else {
        return None;
    };
    let (c, d, w) = (p.as_const(c)?, p.as_const(b)?, p.width(a));
    let sum = p.constant(w, c.wrapping_add(d));
    Some(p.add(x, sum))
}

/// match: a + b, put together from pieces, where no bit can be one in both
/// result: the pieces put together
fn add_without_carry(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let m = mask(p.width(a));
    if (p.facts(a).zero | p.facts(b).zero) & m != m {
        return None;
    }
    pieces::piecewise(p, BinOp::Or, a, b)
}

/// match: a + b, where one is a sum
/// result: the sum in normal form
fn add_sums(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let mut sum = Sum::zero(p.width(a));
    if !sum.add(p, a, 1) || !sum.add(p, b, 1) {
        return None;
    }
    sum.take_remainders(p);
    Some(sum.build(p))
}

/// match: (c ? k : l) + d with constants k, l and d
/// result: c ? k + d : l + d
fn add_to_constant_ite(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Ite { cond, then, other } = p.kind(a) else {
        return None;
    };
    let (k, l, d, w) = (
        p.as_const(then)?,
        p.as_const(other)?,
        p.as_const(b)?,
        p.width(a),
    );
    let then = p.constant(w, k.wrapping_add(d));
    let other = p.constant(w, l.wrapping_add(d));
    Some(p.ite(cond, then, other))
}

pub(super) fn sub(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (a, b): sub_self, sub_constant, sub_sums, sub_from_zero_bits);
    None
}

/// match: a - a
/// result: 0
fn sub_self(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    (a == b).then(|| p.constant(w, 0))
}

/// match: a - c
/// result: a + -c
fn sub_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (c, w) = (p.as_const(b)?, p.width(a));
    let c = p.constant(w, c.wrapping_neg());
    Some(p.add(a, c))
}

/// match: a - b, where one is a sum
/// result: the sum in normal form
fn sub_sums(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let m = mask(p.width(a));
    if !is_linear(p, a) && !is_linear(p, b) && p.as_const(a) != Some(m) {
        return None;
    }
    let mut sum = Sum::zero(p.width(a));
    if !sum.add(p, a, 1) || !sum.add(p, b, m) {
        return None;
    }
    sum.take_remainders(p);
    Some(sum.build(p))
}

/// match: 0 - zext c, where c is one bit
/// result: sext c
fn sub_from_zero_bits(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::ZExt(c) = p.kind(b) else {
        return None;
    };
    let w = p.width(a);
    (p.as_const(a)? == 0 && p.width(c) == 1).then(|| p.sext(c, w))
}

pub(super) fn mul(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    if p.as_const(b).is_some() {
        rules!(p, (a, b): mul_by_power_of_two, mul_by_minus_one, mul_of_product, mul_of_sum, mul_of_constant_ite);
    }
    rules!(p, (a, b): mul_by_bit);
    None
}

/// match: a * 2^k
/// result: a << k
fn mul_by_power_of_two(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let c = p.as_const(b)?;
    if c == 0 {
        return Some(b);
    }
    if let Kind::Bin(BinOp::Add, ..) = p.kind(a)
        && c != 1
    {
        return mul_of_sum(p, a, b);
    }
    c.is_power_of_two()
        .then(|| shift::shl(p, a, c.trailing_zeros()))
}

/// match: a * -1
/// result: 0 - a
fn mul_by_minus_one(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    let zero = p.constant(w, 0);
    (p.as_const(b)? == mask(w)).then(|| p.sub(zero, a))
}

/// match: (x * c) * d, (x ++ 0) * d, zext (x * c) * d where x * c does not wrap
/// result: x * (c * d)
fn mul_of_product(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (d, w) = (p.as_const(b)?, p.width(a));
    let (x, c) = match p.kind(a) {
        Kind::Bin(BinOp::Mul, x, c) => (x, p.as_const(c)?),
        Kind::Concat { hi, lo } if p.as_const(lo) == Some(0) => {
            let x = match p.kind(hi) {
                Kind::Extract { of, lo: 0 } if p.width(of) == w => of,
                _ => p.zext(hi, w),
            };
            (x, 1 << p.width(lo))
        }
        Kind::ZExt(inner) => {
            let (x, c) = by_constant(p, BinOp::Mul, inner)?;
            let most = p.facts(x).max.checked_mul(c);
            if most.is_none_or(|v| v > mask(p.width(x))) {
                return None;
            }
            (p.zext(x, w), c)
        }
        _ => return None,
    };
    let product = p.constant(w, c.wrapping_mul(d));
    Some(p.bin(BinOp::Mul, x, product))
}

/// match: (x + c) * d
/// result: x * d + c * d
fn mul_of_sum(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::Add, x, c) = p.kind(a) else {
        return None;
    };
    let (c, d, w) = (p.as_const(c)?, p.as_const(b)?, p.width(a));
    let product = p.bin(BinOp::Mul, x, b);
    let offset = p.constant(w, c.wrapping_mul(d));
    Some(p.add(product, offset))
}

/// match: (c ? k : l) * d with constants k, l and d
/// result: c ? k * d : l * d
fn mul_of_constant_ite(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Ite { cond, then, other } = p.kind(a) else {
        return None;
    };
    let (k, l, d, w) = (
        p.as_const(then)?,
        p.as_const(other)?,
        p.as_const(b)?,
        p.width(a),
    );
    let then = p.constant(w, k.wrapping_mul(d));
    let other = p.constant(w, l.wrapping_mul(d));
    Some(p.ite(cond, then, other))
}

/// match: a * zext c, where c is one bit
/// result: c ? a : 0
fn mul_by_bit(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let bit = |e: Expr| match p.kind(e) {
        Kind::ZExt(c) if p.width(c) == 1 => Some(c),
        _ => None,
    };
    let (x, c) = match (bit(a), bit(b)) {
        (_, Some(c)) => (a, c),
        (Some(c), _) => (b, c),
        _ => return None,
    };
    let w = p.width(a);
    let zero = p.constant(w, 0);
    Some(p.ite(c, x, zero))
}

pub(super) fn overflow(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    if op == BinOp::UMulO {
        rules!(p, (a, b): umulo_in_range, umulo_by_constant);
    } else {
        rules!(p, (a, b): smulo_in_range, smulo_by_constant);
    }
    None
}

/// match: umulo(a, b), where the product of the greatest or of the least values decides
/// result: 0 or 1
fn umulo_in_range(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y, w) = (p.facts(a), p.facts(b), p.width(a));
    if number::bin(BinOp::UMulO, w, x.max, y.max) == 0 {
        return Some(p.bool(false));
    }
    (number::bin(BinOp::UMulO, w, x.min, y.min) == 1).then(|| p.bool(true))
}

/// match: umulo(a, c) with c > 1
/// result: max / c < a
fn umulo_by_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (c, w) = (p.as_const(b)?, p.width(a));
    if c < 2 {
        return None;
    }
    let most = p.constant(w, mask(w) / c);
    Some(p.ult(most, a))
}

/// match: smulo(a, b), where the corners of the ranges decide
/// result: 0
fn smulo_in_range(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    let (x, y) = (p.signed_range(a), p.signed_range(b));
    let fits = |l: i128, r: i128| {
        number::bin(BinOp::SMulO, w, l as u128 & mask(w), r as u128 & mask(w)) == 0
    };
    let fit = fits(x.min, y.min) && fits(x.min, y.max) && fits(x.max, y.min) && fits(x.max, y.max);
    fit.then(|| p.bool(false))
}

/// match: smulo(a, c)
/// result: a - least > greatest - least, where c * least .. c * greatest fit
fn smulo_by_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    let c = number::sign_extend(p.as_const(b)?, w);
    let (min, max) = (number::sign_extend(1 << (w - 1), w), (mask(w) >> 1) as i128);
    let (least, greatest) = match c {
        0 | 1 => return Some(p.bool(false)),
        -1 => {
            let min = p.constant(w, min as u128);
            return Some(p.eq(a, min));
        }
        // Rounding towards zero rounds inwards.
        2.. => (min / c, max / c),
        _ => (max / c, min / c),
    };
    let start = p.constant(w, least as u128);
    let distance = p.sub(a, start);
    let span = p.constant(w, greatest.wrapping_sub(least) as u128);
    Some(p.ult(span, distance))
}
