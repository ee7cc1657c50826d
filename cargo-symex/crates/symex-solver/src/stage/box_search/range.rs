//! Operators on ranges of machine words.
//!
//! Not [`Domain`](symex_terms::Domain) and its transfer functions: this is one unsigned range of at
//! most 64 bits and nothing else, as millions of boxes are looked at. On one of Newton's steps for
//! a root (a quotient, a sum, a shift and a comparison) an operator takes 2 to 5 ns here, and 48 to
//! 71 ns on domains, 13 to 20 times as long. Floats are the ranges of their bits: finite ones
//! of one sign are ordered like their bits or the reverse, and all operators on them here round
//! monotonically.
//!
//! Invariant: the result holds the operator's value for all values of the operands, and is that
//! value if each of them has only one.

use symex_terms::eval::{self, sign_extend};
use symex_terms::{BinOp, FCast, UnOp, Width, mask};
use symex_types::bits::word_mask;

/// A range of numbers from `min` to `max`, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::stage) struct BoxRange {
    pub min: u64,
    pub max: u64,
}

const UNKNOWN: BoxRange = BoxRange { min: 0, max: 1 };

impl BoxRange {
    #[inline(always)]
    pub fn new(min: u64, max: u64) -> BoxRange {
        BoxRange { min, max }
    }

    #[inline(always)]
    pub fn point(value: u64) -> BoxRange {
        BoxRange::new(value, value)
    }

    #[inline(always)]
    pub fn full(width: Width) -> BoxRange {
        BoxRange::new(0, word_mask(width))
    }

    #[inline(always)]
    pub fn value(self) -> Option<u64> {
        (self.min == self.max).then_some(self.min)
    }

    /// Returns the least range that contains both.
    #[inline(always)]
    pub fn hull(self, other: BoxRange) -> BoxRange {
        BoxRange::new(self.min.min(other.min), self.max.max(other.max))
    }
}

/// Returns the range of a condition that surely holds, surely fails, or neither.
#[inline(always)]
fn truth(holds: bool, fails: bool) -> BoxRange {
    BoxRange::new(holds.into(), (!fails).into())
}

/// Truncates a range of integers to the width.
#[inline(always)]
fn wrapped(width: Width, min: u128, max: u128) -> BoxRange {
    let m = word_mask(width);
    match (min ^ max) & !u128::from(m) {
        0 => BoxRange::new(min as u64 & m, max as u64 & m),
        _ => BoxRange::full(width),
    }
}

/// Maps the range to the order of signed numbers, by inverting the sign bit.
#[inline(always)]
fn signed(width: Width, a: BoxRange) -> BoxRange {
    let sign = 1u64 << (width - 1);
    match (a.min ^ a.max) & sign {
        0 => BoxRange::new(a.min ^ sign, a.max ^ sign),
        _ => BoxRange::full(width),
    }
}

/// Reports whether all numbers are positive or zero as signed numbers.
#[inline(always)]
fn is_positive(width: Width, a: BoxRange) -> bool {
    a.max >> (width - 1) == 0
}

/// Reports whether all numbers are negative as signed numbers.
#[inline(always)]
fn is_negative(width: Width, a: BoxRange) -> bool {
    a.min >> (width - 1) == 1
}

/// Negates a range of numbers, modulo two to the width.
#[inline(always)]
fn negated(width: Width, a: BoxRange) -> BoxRange {
    match a.min {
        0 if a.max > 0 => BoxRange::full(width),
        _ => {
            let negative = |v: u64| v.wrapping_neg() & word_mask(width);
            BoxRange::new(negative(a.max), negative(a.min))
        }
    }
}

/// Returns the bits of infinity, in formats of floats that are known here.
fn infinity(width: Width) -> u64 {
    match width {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        64 => 0x7ff0_0000_0000_0000,
        _ => 0,
    }
}

/// Returns the least and the greatest of the floats of a range, if they are finite and of one sign:
/// the more bits, the further they are from zero.
fn floats(width: Width, a: BoxRange) -> Option<(u64, u64)> {
    if a.max < infinity(width) {
        return Some((a.min, a.max));
    }
    let sign = 1u64 << (width - 1);
    (a.min >= sign && a.max - sign < infinity(width)).then_some((a.max, a.min))
}

/// Returns the range of floats from one to another, whose signs are the same, or else all.
fn between(width: Width, least: u64, greatest: u64) -> BoxRange {
    let sign = 1u64 << (width - 1);
    let is_nan = |v: u64| v & (sign - 1) > infinity(width);
    match (least ^ greatest) & sign {
        _ if is_nan(least) || is_nan(greatest) => BoxRange::full(width),
        0 => BoxRange::new(least.min(greatest), least.max(greatest)),
        _ => BoxRange::full(width),
    }
}

/// Applies a unary operator to an operand of `width` bits.
#[inline(always)]
pub(super) fn un(op: UnOp, width: Width, a: BoxRange) -> BoxRange {
    let made = |v: u64| eval::un(op, width, v.into()) as u64;
    let clz = |v: u64| u64::from(v.leading_zeros()) - u64::from(u64::BITS - width);
    match op {
        UnOp::Not => BoxRange::new(a.max ^ word_mask(width), a.min ^ word_mask(width)),
        UnOp::Clz => BoxRange::new(clz(a.max), clz(a.min)),
        _ if a.min == a.max => BoxRange::point(made(a.min)),
        UnOp::FIsNan if floats(width, a).is_some() => BoxRange::point(0),
        UnOp::FIsNan => UNKNOWN,
        UnOp::Popcount | UnOp::Ctz => BoxRange::new(0, width.into()),
        _ => match floats(width, a) {
            Some((least, greatest)) => between(width, made(least), made(greatest)),
            None => BoxRange::full(width),
        },
    }
}

/// Applies a conversion from or to a float.
pub(super) fn fcast(op: FCast, from: Width, to: Width, a: BoxRange) -> BoxRange {
    let made = |v: u64| eval::fcast(op, from, to, v.into()) as u64;
    if let Some(v) = a.value() {
        return BoxRange::point(made(v));
    }
    match op {
        FCast::FromUnsigned => BoxRange::new(made(a.min), made(a.max)),
        FCast::FromSigned => match (a.min ^ a.max) >> (from - 1) & 1 {
            0 => between(to, made(a.min), made(a.max)),
            _ => BoxRange::full(to),
        },
        FCast::Float => match floats(from, a) {
            Some((least, greatest)) => between(to, made(least), made(greatest)),
            None => BoxRange::full(to),
        },
        FCast::ToSigned | FCast::ToUnsigned => match floats(from, a) {
            Some((least, greatest)) => {
                let (x, y) = (made(least), made(greatest));
                match op == FCast::ToSigned && (x ^ y) >> (to - 1) == 1 {
                    true => BoxRange::full(to),
                    false => BoxRange::new(x.min(y), x.max(y)),
                }
            }
            None => BoxRange::full(to),
        },
    }
}

/// Applies a binary operator to operands of `width` bits.
#[inline(always)]
pub(super) fn bin(op: BinOp, width: Width, a: BoxRange, b: BoxRange) -> BoxRange {
    use BinOp::*;
    let wide = |v: u64| u128::from(v);
    let points = a.min == a.max && b.min == b.max;
    match op {
        Add => wrapped(width, wide(a.min) + wide(b.min), wide(a.max) + wide(b.max)),
        // The bits above the width are all set in a negative difference, and else none.
        Sub => wrapped(
            width,
            wide(a.min).wrapping_sub(wide(b.max)),
            wide(a.max).wrapping_sub(wide(b.min)),
        ),
        Mul => wrapped(width, wide(a.min) * wide(b.min), wide(a.max) * wide(b.max)),
        UDiv => {
            let max = a.max.checked_div(b.min).unwrap_or(word_mask(width));
            BoxRange::new(a.min.checked_div(b.max).unwrap_or(word_mask(width)), max)
        }
        URem => remainder(a, b),
        Eq => equal(a, b),
        ULt => less(a, b),
        ULe => less_or_equal(a, b),
        SLt => less(signed(width, a), signed(width, b)),
        SLe => less_or_equal(signed(width, a), signed(width, b)),
        UMulO => {
            let fits = |x: u64, y: u64| wide(x) * wide(y) <= u128::from(word_mask(width));
            truth(!fits(a.min, b.min), fits(a.max, b.max))
        }
        // Of one bit each, they are monotonic.
        And if width == 1 => BoxRange::new(a.min & b.min, a.max & b.max),
        Or if width == 1 => BoxRange::new(a.min | b.min, a.max | b.max),
        And if points => BoxRange::point(a.min & b.min),
        Or if points => BoxRange::point(a.min | b.min),
        Xor if points => BoxRange::point(a.min ^ b.min),
        // A range that is as well said of floats.
        _ if points => {
            let value = eval::bin(op, width, wide(a.min), wide(b.min));
            BoxRange::point(value as u64)
        }
        And => match b.value().or(a.value()) {
            // The low bits alone.
            Some(low) if low & low.wrapping_add(1) == 0 => {
                let of = if b.value().is_some() { a } else { b };
                match of.min & !low == of.max & !low {
                    true => BoxRange::new(of.min & low, of.max & low),
                    false => BoxRange::new(0, low),
                }
            }
            _ => BoxRange::new(0, a.max.min(b.max)),
        },
        Or => BoxRange::new(a.min.max(b.min), filled(a.max | b.max)),
        Xor => BoxRange::new(0, filled(a.max | b.max)),
        Shl => match b.max < width.into() && a.max <= word_mask(width) >> b.max {
            true => BoxRange::new(a.min << b.min, a.max << b.max),
            false => BoxRange::full(width),
        },
        LShr => BoxRange::new(shifted(a.min, b.max), shifted(a.max, b.min)),
        AShr if is_positive(width, a) => {
            BoxRange::new(shifted(a.min, b.max), shifted(a.max, b.min))
        }
        AShr if is_negative(width, a) && b.min == b.max => {
            let made = |v: u64| eval::bin(op, width, wide(v), wide(b.min)) as u64;
            BoxRange::new(made(a.min), made(a.max))
        }
        SDiv if is_positive(width, a) && is_positive(width, b) && b.min > 0 => {
            BoxRange::new(a.min / b.max, a.max / b.min)
        }
        SDiv if is_negative(width, a) && is_positive(width, b) && b.min > 0 => {
            let a = negated(width, a);
            negated(width, BoxRange::new(a.min / b.max, a.max / b.min))
        }
        SRem if is_positive(width, a) && is_positive(width, b) && b.min > 0 => remainder(a, b),
        SRem if is_negative(width, a) && is_positive(width, b) && b.min > 0 => {
            negated(width, remainder(negated(width, a), b))
        }
        SMulO if is_positive(width, a) && is_positive(width, b) => {
            let fits = |x: u64, y: u64| wide(x) * wide(y) <= u128::from(word_mask(width) >> 1);
            truth(!fits(a.min, b.min), fits(a.max, b.max))
        }
        FLt | FLe | FEq | FAdd | FSub | FMul | FDiv => float(op, width, a, b),
        AShr | SDiv | SRem | FRem => BoxRange::full(width),
        SMulO => UNKNOWN,
    }
}

#[inline(always)]
fn equal(a: BoxRange, b: BoxRange) -> BoxRange {
    let points = a.min == a.max && b.min == b.max;
    truth(points && a.min == b.min, a.max < b.min || b.max < a.min)
}

#[inline(always)]
fn less(a: BoxRange, b: BoxRange) -> BoxRange {
    truth(a.max < b.min, a.min >= b.max)
}

#[inline(always)]
fn less_or_equal(a: BoxRange, b: BoxRange) -> BoxRange {
    truth(a.max <= b.min, a.min > b.max)
}

/// Returns the range of the unsigned remainder.
#[inline(always)]
fn remainder(a: BoxRange, b: BoxRange) -> BoxRange {
    match b.value() {
        _ if b.max == 0 || a.max < b.min => a,
        _ if b.min == 0 => BoxRange::new(0, a.max),
        Some(k) if a.min / k == a.max / k => BoxRange::new(a.min % k, a.max % k),
        _ => BoxRange::new(0, a.max.min(b.max - 1)),
    }
}

/// Applies an operator on floats, which rounds monotonically.
fn float(op: BinOp, width: Width, a: BoxRange, b: BoxRange) -> BoxRange {
    let (Some(x), Some(y)) = (floats(width, a), floats(width, b)) else {
        return match op.is_predicate() {
            true => UNKNOWN,
            false => BoxRange::full(width),
        };
    };
    let made = |x: u64, y: u64| eval::bin(op, width, x.into(), y.into()) as u64;
    let holds = |op: BinOp, x: u64, y: u64| eval::bin(op, width, x.into(), y.into()) == 1;
    match op {
        BinOp::FLt => truth(made(x.1, y.0) == 1, holds(BinOp::FLe, y.1, x.0)),
        BinOp::FLe => truth(made(x.1, y.0) == 1, holds(BinOp::FLt, y.1, x.0)),
        BinOp::FEq => truth(
            holds(BinOp::FLe, x.1, y.0) && holds(BinOp::FLe, y.1, x.0),
            holds(BinOp::FLt, x.1, y.0) || holds(BinOp::FLt, y.1, x.0),
        ),
        BinOp::FAdd => between(width, made(x.0, y.0), made(x.1, y.1)),
        BinOp::FSub => between(width, made(x.0, y.1), made(x.1, y.0)),
        // Each operand is of one sign. The farther from zero the first, the farther the result; the
        // second, the farther or the nearer.
        BinOp::FMul => between(width, made(a.min, b.min), made(a.max, b.max)),
        _ if b.min & ((1 << (width - 1)) - 1) == 0 => BoxRange::full(width),
        _ => between(width, made(a.min, b.max), made(a.max, b.min)),
    }
}

/// Returns a number with all bits below its highest one set.
#[inline(always)]
fn filled(v: u64) -> u64 {
    match v {
        0 => 0,
        _ => u64::MAX >> v.leading_zeros(),
    }
}

#[inline(always)]
fn shifted(v: u64, by: u64) -> u64 {
    if by >= 64 { 0 } else { v >> by }
}

/// Chooses between two ranges by a condition.
#[inline(always)]
pub(super) fn ite(cond: BoxRange, then: BoxRange, other: BoxRange) -> BoxRange {
    match cond.value() {
        Some(0) => other,
        Some(_) => then,
        None => then.hull(other),
    }
}

/// Concatenates two ranges, `hi` above `lo` of `lo_width` bits.
#[inline(always)]
pub(super) fn concat(lo_width: Width, hi: BoxRange, lo: BoxRange) -> BoxRange {
    BoxRange::new(hi.min << lo_width | lo.min, hi.max << lo_width | lo.max)
}

/// Extracts `width` bits from bit `lo` upwards.
#[inline(always)]
pub(super) fn extract(a: BoxRange, lo: Width, width: Width) -> BoxRange {
    wrapped(width, (a.min >> lo).into(), (a.max >> lo).into())
}

/// Sign-extends a range from `from` to `width` bits.
#[inline(always)]
pub(super) fn sext(from: Width, width: Width, a: BoxRange) -> BoxRange {
    let spread = |v: u64| (sign_extend(v.into(), from) as u128 & mask(width)) as u64;
    match (a.min ^ a.max) >> (from - 1) & 1 {
        0 => BoxRange::new(spread(a.min), spread(a.max)),
        _ => BoxRange::full(width),
    }
}
