//! Simplification of floats by what is known of their ranges: of a fraction that a rounding leaves,
//! of a float without its sign, and of what is left of a float that becomes an integer.

use crate::build::mask;
use crate::domain::float::{self, FloatRange, infinity, rank};
use crate::node::*;
use crate::number;
use crate::op::{BinOp, FCast, Rounding, UnOp};
use crate::pool::Pool;

/// Number of operators below a term that are examined for its range.
const DEPTH: u32 = 4;

/// Returns the term whose float without sign this one is.
pub(super) fn size_of(p: &Pool, e: Expr) -> Option<Expr> {
    let Kind::ZExt(low) = p.kind(e) else {
        return None;
    };
    let w = p.width(e);
    match p.kind(low) {
        Kind::Extract { of, lo: 0 } if p.width(of) == w && p.width(low) == w - 1 => Some(of),
        _ => None,
    }
}

/// Returns the term whose negation as a float this one is.
fn negation_of(p: &Pool, e: Expr) -> Option<Expr> {
    match p.kind(e) {
        Kind::Bin(BinOp::Xor, x, sign) if p.as_const(sign) == Some(1 << (p.width(e) - 1)) => {
            Some(x)
        }
        _ => None,
    }
}

/// Returns a float with the way in which it is rounded, if the term is that.
fn rounded(p: &Pool, e: Expr) -> Option<(Expr, Rounding)> {
    match p.kind(e) {
        Kind::Un(op, x) => Some((x, op.rounding()?)),
        _ => None,
    }
}

/// A float less what it is rounded to, or the reverse.
struct Fraction {
    of: Expr,
    by: Rounding,
    reversed: bool,
}

impl Fraction {
    fn of(p: &Pool, e: Expr) -> Option<Fraction> {
        let Kind::Bin(BinOp::FSub, a, b) = p.kind(e) else {
            return None;
        };
        let of = |x: Expr, r: Expr| rounded(p, r).filter(|r| r.0 == x);
        if let Some((of, by)) = of(a, b) {
            let reversed = false;
            return Some(Fraction { of, by, reversed });
        }
        let (of, by) = of(b, a)?;
        let reversed = true;
        Some(Fraction { of, by, reversed })
    }

    /// Returns the range of the numbers. A number and a rounding that equals it leave a zero
    /// without sign.
    fn range(&self, p: &Pool) -> Option<FloatRange> {
        let width = p.width(self.of);
        let whole = FloatRange::numbers(width)?;
        let one = rank(width, number::fcast(FCast::FromUnsigned, 1, width, 1));
        let two = number::fcast(FCast::FromUnsigned, 2, width, 2);
        let half = number::fdiv(width, one as u128, two);
        let half = rank(width, half);
        let (min, max) = match (self.by, self.reversed) {
            (Rounding::Zero, _) => (!(one - 1), one - 1),
            (Rounding::Down, false) | (Rounding::Up, true) => (0, one),
            (Rounding::Up, false) | (Rounding::Down, true) => (!one, 0),
            (Rounding::NearestEven | Rounding::NearestAway, _) => (!half, half),
        };
        let of = FloatRange::of(width, &p.domain(self.of));
        let nan = of.is_none_or(|range| range.nan || range.has_infinity());
        Some(FloatRange {
            min,
            max,
            nan,
            ..whole
        })
    }
}

/// Returns the range of a term as a float, and whether it may be a NaN.
fn numbers(p: &Pool, e: Expr, depth: u32) -> Option<FloatRange> {
    let known = || FloatRange::of(p.width(e), &p.domain(e));
    if depth == 0 {
        return known();
    }
    if let Some(fraction) = Fraction::of(p, e) {
        return fraction.range(p);
    }
    if let Some(of) = size_of(p, e) {
        return numbers(p, of, depth - 1).map(FloatRange::sizes);
    }
    if let Some(of) = negation_of(p, e) {
        return numbers(p, of, depth - 1).map(FloatRange::negated);
    }
    known()
}

/// match: a comparison that holds for all numbers in the ranges of its sides, or for none
/// result: that the side which may be a NaN is none; or 0
pub(super) fn compare_by_range(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    infinity(p.width(a))?;
    let (Some(x), Some(y)) = (numbers(p, a, DEPTH), numbers(p, b, DEPTH)) else {
        return Some(p.bool(false));
    };
    let (holds, fails) = float::compare_numbers(op, x, y);
    if fails {
        return Some(p.bool(false));
    }
    if !holds || x.nan && y.nan {
        return None;
    }
    let unsure = match (x.nan, y.nan) {
        (true, _) => a,
        (_, true) => b,
        _ => return Some(p.bool(true)),
    };
    let nan = p.un(UnOp::FIsNan, unsure);
    Some(p.not(nan))
}

/// Reports whether the bits of a term are those of no operation on floats, except for a sign: of
/// the others, solvers know the float better than the bits.
fn is_of_bits(p: &Pool, e: Expr) -> bool {
    match p.kind(size_of(p, e).unwrap_or(e)) {
        Kind::Un(op, _) => !op.is_float(),
        Kind::Bin(op, ..) => !op.is_float(),
        Kind::FCast(op, _) => matches!(op, FCast::ToSigned | FCast::ToUnsigned),
        Kind::Fma(..) => false,
        _ => true,
    }
}

/// match: a float without sign < c, <= c, == c; or of floats that are numbers without sign
/// result: the comparison of the bits
pub(super) fn compare_without_sign(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    let most = infinity(w)? as u128;
    let is_positive = |e: Expr| p.facts(e).is_nonnegative(w) && is_of_bits(p, e);
    let is_number = |e: Expr| p.facts(e).max <= most;
    // A NaN has more bits than any number.
    let is_ordered = match op {
        BinOp::FEq => is_number(a) || is_number(b),
        _ => is_number(b),
    };
    if !is_positive(a) || !is_positive(b) || !is_ordered {
        return None;
    }
    Some(match op {
        BinOp::FLt => p.ult(a, b),
        BinOp::FLe => p.ule(a, b),
        _ => p.eq(a, b),
    })
}

/// match: a comparison of a float with what it is rounded to up or down, in the order that is known
/// result: that it is no NaN; or 0
pub(super) fn compare_with_rounded(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let by = |x: Expr, e: Expr| rounded(p, e).filter(|r| r.0 == x).map(|r| r.1);
    let (x, is_in_order) = match (by(b, a), by(a, b)) {
        (Some(Rounding::Down), _) => (b, true),
        (Some(Rounding::Up), _) => (b, false),
        (_, Some(Rounding::Up)) => (a, true),
        (_, Some(Rounding::Down)) => (a, false),
        _ => return None,
    };
    match (op, is_in_order) {
        (BinOp::FLe, true) => {
            let nan = p.un(UnOp::FIsNan, x);
            Some(p.not(nan))
        }
        (BinOp::FLt, false) => Some(p.bool(false)),
        _ => None,
    }
}

/// match: a comparison of a float without its sign with the float or its negation
/// result: the comparison of the float with zero, or that it is no NaN; or 0
pub(super) fn compare_with_size(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let zero = p.constant(p.width(a), 0);
    let is_size = |p: &Pool, size: Expr, x: Expr| {
        let of = size_of(p, size)?;
        match of == x {
            true => Some((x, false)),
            false => negation_of(p, x).filter(|y| *y == of).map(|y| (y, true)),
        }
    };
    let (x, negated, size_first) = match (is_size(p, a, b), is_size(p, b, a)) {
        (Some((x, negated)), _) => (x, negated, true),
        (_, Some((x, negated))) => (x, negated, false),
        _ => return None,
    };
    match (op, size_first) {
        (BinOp::FEq, _) | (BinOp::FLe, true) => Some(match negated {
            false => p.bin(BinOp::FLe, zero, x),
            true => p.bin(BinOp::FLe, x, zero),
        }),
        (BinOp::FLt, false) => Some(match negated {
            false => p.bin(BinOp::FLt, x, zero),
            true => p.bin(BinOp::FLt, zero, x),
        }),
        (BinOp::FLe, false) => {
            let nan = p.un(UnOp::FIsNan, x);
            Some(p.not(nan))
        }
        (BinOp::FLt, true) => Some(p.bool(false)),
        _ => None,
    }
}

/// match: isnan of a float less what it is rounded to, or the reverse
/// result: that the float is infinite or a NaN
pub(super) fn is_nan_of_fraction(p: &mut Pool, a: Expr) -> Option<Expr> {
    let of = Fraction::of(p, a)?.of;
    let w = p.width(of);
    let most = infinity(w)?;
    let size = p.extract(of, 0, w - 1);
    let most = p.constant(w - 1, most as u128);
    Some(p.ule(most, size))
}

/// match: a float that became an integer and a float again == the float rounded towards zero
/// result: that the float is in the range of the integer
pub(super) fn compare_with_integral(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    if op != BinOp::FEq {
        return None;
    }
    let (cast, truncated) = match (p.kind(a), p.kind(b)) {
        (Kind::FCast(..), Kind::Un(UnOp::FRoundZero, _)) => (a, b),
        (Kind::Un(UnOp::FRoundZero, _), Kind::FCast(..)) => (b, a),
        _ => return None,
    };
    let (Kind::FCast(back, integer), Kind::Un(_, x)) = (p.kind(cast), p.kind(truncated)) else {
        return None;
    };
    let Kind::FCast(to, y) = p.kind(integer) else {
        return None;
    };
    let signed = match (to, back) {
        _ if x != y => return None,
        (FCast::ToSigned, FCast::FromSigned) => true,
        (FCast::ToUnsigned, FCast::FromUnsigned) => false,
        _ => return None,
    };
    let format = p.width(x);
    let precision = match format {
        16 => 11,
        32 => 24,
        64 => 53,
        128 => 113,
        _ => return None,
    };
    let w = p.width(integer);
    let float = |p: &mut Pool, v: u128| {
        let bits = number::fcast(FCast::FromUnsigned, 128, format, v);
        p.constant(format, bits)
    };
    let negative = |p: &mut Pool, v: u128| {
        let bits = number::fcast(FCast::FromUnsigned, 128, format, v);
        p.constant(format, bits | 1 << (format - 1))
    };
    let bits = w - u32::from(signed);
    let below = match signed {
        true if bits < precision => {
            let end = negative(p, (1 << bits) + 1);
            p.bin(BinOp::FLt, end, x)
        }
        true => {
            let end = negative(p, 1 << bits);
            p.bin(BinOp::FLe, end, x)
        }
        false => {
            let end = negative(p, 1);
            p.bin(BinOp::FLt, end, x)
        }
    };
    // What is above the greatest integer is not equal, except for the float that it is rounded to.
    let above = match bits <= precision {
        true => {
            let end = float(p, 1 << bits);
            p.bin(BinOp::FLt, x, end)
        }
        false => {
            let end = float(p, mask(bits));
            p.bin(BinOp::FLe, x, end)
        }
    };
    Some(p.and(below, above))
}

#[cfg(test)]
#[path = "float_range_tests.rs"]
mod tests;
