//! Simplification of floats with integral values: an integer that a format represents exactly
//! compares, adds and multiplies as the integer does, and solvers handle integers better.
//!
//! The rules cover only identities that hold bit for bit: no result is a negative zero here, and
//! none is rounded.

use crate::build::mask;
use crate::node::*;
use crate::op::{BinOp, FCast};
use crate::pool::Pool;

/// The integer that a float equals. Its width is that of the integer that was converted.
#[derive(Clone, Copy)]
struct Whole {
    term: Expr,
    signed: bool,
}

/// Returns the bits of precision of a supported format.
fn precision(width: Width) -> Option<Width> {
    match width {
        32 => Some(24),
        64 => Some(53),
        _ => None,
    }
}

/// Returns the value of a constant in one of these formats.
fn constant(p: &Pool, e: Expr) -> Option<f64> {
    let bits = p.as_const(e)?;
    match p.width(e) {
        32 => Some(f64::from(f32::from_bits(bits as u32))),
        64 => Some(f64::from_bits(bits as u64)),
        _ => None,
    }
}

impl Whole {
    /// Returns the integer that was converted to a float without rounding.
    fn of(p: &Pool, e: Expr) -> Option<Whole> {
        let most = 1i128 << precision(p.width(e))?;
        let (term, signed) = match p.kind(e) {
            Kind::FCast(FCast::FromUnsigned, x) => (x, false),
            Kind::FCast(FCast::FromSigned, x) => (x, true),
            _ => return None,
        };
        let whole = Whole { term, signed };
        let (least, greatest) = whole.range(p)?;
        (-most <= least && greatest <= most).then_some(whole)
    }

    /// Returns the integer as [`Whole::of`] does, and also that of an integral floating-point
    /// constant.
    fn or_constant(p: &mut Pool, e: Expr) -> Option<Whole> {
        let Some(value) = constant(p, e) else {
            return Whole::of(p, e);
        };
        let most = (1u64 << precision(p.width(e))?) as f64;
        // A negative zero is no integer.
        let minus_zero = value == 0.0 && value.is_sign_negative();
        if value.fract() != 0.0 || value.abs() > most || minus_zero {
            return None;
        }
        let value = value as i128;
        let signed = value < 0;
        let width = bits(value) - u32::from(!signed && value > 0);
        let term = p.constant(width, value as u128 & mask(width));
        Some(Whole { term, signed })
    }

    /// Returns the least and the greatest value.
    fn range(self, p: &Pool) -> Option<(i128, i128)> {
        if self.signed {
            let range = p.signed_range(self.term);
            return Some((range.min, range.max));
        }
        let facts = p.facts(self.term);
        let end = |v: u128| i128::try_from(v).ok();
        Some((end(facts.min)?, end(facts.max)?))
    }

    /// Returns the bits that the integer needs, including a sign bit.
    fn bits(self, p: &Pool) -> Width {
        let (least, greatest) = self.range(p).unwrap_or((i128::MIN, i128::MAX));
        bits(least).max(bits(greatest))
    }

    /// Returns the integer as a term of `width` bits, in which it fits.
    fn resize(self, p: &mut Pool, width: Width) -> Expr {
        match self.signed && p.width(self.term) < width {
            true => p.sext(self.term, width),
            false => p.resize(self.term, width),
        }
    }

    /// Extends two integers to a common width, and reports whether they are signed.
    fn together(self, other: Whole, p: &mut Pool) -> (Expr, Expr, bool) {
        let signed = self.signed || other.signed;
        let mut width = p.width(self.term).max(p.width(other.term));
        if signed {
            width = width.max(self.bits(p)).max(other.bits(p));
        }
        (self.resize(p, width), other.resize(p, width), signed)
    }
}

/// Returns the bits of a number including its sign.
fn bits(v: i128) -> Width {
    129 - (v ^ v >> 127).leading_zeros()
}

/// match: a comparison of whole numbers
/// result: the comparison of the integers
pub(super) fn compare_whole(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (a, b) = (Whole::of(p, a)?, Whole::of(p, b)?);
    let (a, b, signed) = a.together(b, p);
    Some(p.bin(of_integers(op, signed)?, a, b))
}

/// Returns the integer comparison for a float comparison.
fn of_integers(op: BinOp, signed: bool) -> Option<BinOp> {
    Some(match (op, signed) {
        (BinOp::FEq, _) => BinOp::Eq,
        (BinOp::FLt, true) => BinOp::SLt,
        (BinOp::FLt, false) => BinOp::ULt,
        (BinOp::FLe, true) => BinOp::SLe,
        (BinOp::FLe, false) => BinOp::ULe,
        _ => return None,
    })
}

/// match: a comparison of a whole number with a constant
/// result: the comparison of the integer with the next one on the side that matters, or what it is
///         for all of them
pub(super) fn compare_with_constant(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (number, limit, left) = match (constant(p, a), constant(p, b)) {
        (None, Some(limit)) => (Whole::of(p, a)?, limit, true),
        (Some(limit), None) => (Whole::of(p, b)?, limit, false),
        _ => return None,
    };
    let limit = match (op, left) {
        _ if limit.is_nan() => return None,
        (BinOp::FEq, _) if limit.fract() != 0.0 => return Some(p.bool(false)),
        (BinOp::FLt, true) | (BinOp::FLe, false) => limit.ceil(),
        _ => limit.floor(),
    };
    // No whole number is as far as the ends of this type, where infinities end up.
    let limit = limit as i128;
    let (least, greatest) = number.range(p)?;
    let known = match (op, left) {
        (BinOp::FEq, _) => (limit < least || limit > greatest).then_some(false),
        (BinOp::FLt, true) => decided(limit > greatest, limit <= least),
        (BinOp::FLe, true) => decided(limit >= greatest, limit < least),
        (BinOp::FLt, false) => decided(limit < least, limit >= greatest),
        (BinOp::FLe, false) => decided(limit <= least, limit > greatest),
        _ => return None,
    };
    if let Some(known) = known {
        return Some(p.bool(known));
    }
    let width = p.width(number.term);
    let limit = p.constant(width, limit as u128 & mask(width));
    let op = of_integers(op, number.signed)?;
    Some(match left {
        true => p.bin(op, number.term, limit),
        false => p.bin(op, limit, number.term),
    })
}

fn decided(holds: bool, fails: bool) -> Option<bool> {
    (holds || fails).then_some(holds)
}

/// match: a whole number == a constant or another, bit for bit
/// result: equality of the integers
pub(super) fn eq_whole(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let a = Whole::of(p, a)?;
    let b = match p.as_const(b) {
        None => Whole::of(p, b)?,
        Some(_) => match Whole::or_constant(p, b) {
            Some(b) => b,
            None => return Some(p.bool(false)),
        },
    };
    let (a, b, _) = a.together(b, p);
    Some(p.bin(BinOp::Eq, a, b))
}

/// match: a sum, a difference or a product of whole numbers that is exact
/// result: that of the integers, converted. A product of what may be negative stays: it may be a
///         negative zero
pub(super) fn arithmetic(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let format = p.width(a);
    let most = precision(format)?;
    let (x, y) = (Whole::or_constant(p, a)?, Whole::or_constant(p, b)?);
    let (result, needed) = match op {
        BinOp::FAdd | BinOp::FSub => (
            match op {
                BinOp::FAdd => BinOp::Add,
                _ => BinOp::Sub,
            },
            x.bits(p).max(y.bits(p)) + 1,
        ),
        BinOp::FMul if !x.signed && !y.signed => (BinOp::Mul, x.bits(p) + y.bits(p)),
        _ => return None,
    };
    if needed > most {
        return None;
    }
    let width = needed.max(p.width(x.term)).max(p.width(y.term));
    let from = match x.signed || y.signed || op == BinOp::FSub {
        true => FCast::FromSigned,
        false => FCast::FromUnsigned,
    };
    let (x, y) = (x.resize(p, width), y.resize(p, width));
    let value = p.bin(result, x, y);
    Some(p.fcast(from, value, format))
}

/// match: a whole number converted to an integer that can hold it
/// result: the integer
pub(super) fn integer_there_and_back(
    p: &mut Pool,
    op: FCast,
    a: Expr,
    width: Width,
) -> Option<Expr> {
    let whole = Whole::of(p, a)?;
    let bits = whole.bits(p);
    let fits = match op {
        FCast::ToSigned => bits <= width,
        // With a sign in front that is not there.
        FCast::ToUnsigned => !whole.signed && bits <= width + 1,
        FCast::Float | FCast::FromSigned | FCast::FromUnsigned => false,
    };
    fits.then(|| whole.resize(p, width))
}

/// match: a whole number converted to another format that represents it exactly
/// result: the integer converted to that format
pub(super) fn whole_in_another_format(
    p: &mut Pool,
    op: FCast,
    a: Expr,
    width: Width,
) -> Option<Expr> {
    let whole = Whole::of(p, a)?;
    if op != FCast::Float || whole.bits(p) > precision(width)? {
        return None;
    }
    let from = match whole.signed {
        true => FCast::FromSigned,
        false => FCast::FromUnsigned,
    };
    Some(p.fcast(from, whole.term, width))
}

impl Pool {
    /// Returns the 64-bit integer that a `double` equals without rounding, or that equals its
    /// negation. In the latter case the second result is true, and if the integer is zero, the
    /// `double` is a negative zero.
    pub fn whole_number(&mut self, e: Expr) -> Option<(Expr, bool)> {
        let (of, negated) = match self.kind(e) {
            Kind::Bin(BinOp::Xor, x, sign) if self.as_const(sign) == Some(1 << 63) => (x, true),
            _ => (e, false),
        };
        if self.width(of) != 64 {
            return None;
        }
        let whole = Whole::of(self, of)?;
        Some((whole.resize(self, 64), negated))
    }
}
