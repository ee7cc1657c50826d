//! Simplification of floats. Rules are few: rounding, signed zeros and NaN payloads leave little
//! that holds bit for bit.

use super::float_range::{
    compare_by_range, compare_with_integral, compare_with_rounded, compare_with_size,
    compare_without_sign, is_nan_of_fraction,
};
use super::rules;
use super::whole::{
    arithmetic, compare_whole, compare_with_constant, integer_there_and_back,
    whole_in_another_format,
};
use crate::build::mask;
use crate::node::*;
use crate::number;
use crate::op::{BinOp, FCast, UnOp};
use crate::pool::Pool;

pub(super) fn un(p: &mut Pool, op: UnOp, a: Expr) -> Option<Expr> {
    match op {
        UnOp::FIsNan => rules!(p, (a): is_nan_of_integer, is_nan_of_same, is_nan_of_sign_change,
            is_nan_of_fraction),
        _ if op.rounding().is_some() => rules!(p, (a): round_of_integral),
        _ => {}
    }
    None
}

/// match: isnan of an integer that was converted
/// result: 0
fn is_nan_of_integer(p: &mut Pool, a: Expr) -> Option<Expr> {
    matches!(
        p.kind(a),
        Kind::FCast(FCast::FromSigned | FCast::FromUnsigned, _)
    )
    .then(|| p.bool(false))
}

/// match: isnan of a rounding or of a conversion between formats
/// result: isnan of the operand
fn is_nan_of_same(p: &mut Pool, a: Expr) -> Option<Expr> {
    match p.kind(a) {
        Kind::FCast(FCast::Float, x) => Some(p.un(UnOp::FIsNan, x)),
        Kind::Un(op, x) if op.rounding().is_some() => Some(p.un(UnOp::FIsNan, x)),
        _ => None,
    }
}

/// match: isnan of a term with its sign bit inverted, cleared, set or replaced
/// result: isnan of the term
fn is_nan_of_sign_change(p: &mut Pool, a: Expr) -> Option<Expr> {
    let w = p.width(a);
    let top = 1u128 << (w - 1);
    let x = match p.kind(a) {
        Kind::Bin(BinOp::Xor | BinOp::Or, x, c) if p.as_const(c) == Some(top) => x,
        Kind::ZExt(s) | Kind::Concat { lo: s, .. } if p.width(s) == w - 1 => match p.kind(s) {
            Kind::Extract { of, lo: 0 } if p.width(of) == w => of,
            _ => return None,
        },
        _ => return None,
    };
    Some(p.un(UnOp::FIsNan, x))
}

/// match: a rounding to integral values of one, or of a converted integer
/// result: the operand
fn round_of_integral(p: &mut Pool, a: Expr) -> Option<Expr> {
    let is_integral = match p.kind(a) {
        Kind::Un(op, _) => op.rounding().is_some(),
        Kind::FCast(op, _) => matches!(op, FCast::FromSigned | FCast::FromUnsigned),
        _ => false,
    };
    is_integral.then_some(a)
}

pub(super) fn bin(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (op, a, b): arithmetic);
    None
}

pub(super) fn compare(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (op, a, b): compare_self, compare_with_nan, compare_whole, compare_with_constant);
    rules!(p, (op, a, b): compare_by_range, compare_without_sign, compare_with_rounded,
        compare_with_size, compare_with_integral);
    None
}

/// match: a == a, a <= a, a < a
/// result: !isnan(a), !isnan(a), 0
fn compare_self(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    if a != b {
        return None;
    }
    if op == BinOp::FLt {
        return Some(p.bool(false));
    }
    let nan = p.un(UnOp::FIsNan, a);
    Some(p.not(nan))
}

/// match: a comparison with a constant NaN
/// result: 0
fn compare_with_nan(p: &mut Pool, _op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    let nan = |e: Expr| p.as_const(e).is_some_and(|v| number::is_nan(w, v));
    (nan(a) || nan(b)).then(|| p.bool(false))
}

pub(super) fn cast(p: &mut Pool, op: FCast, a: Expr, width: Width) -> Option<Expr> {
    rules!(p, (op, a, width): cast_to_the_same, integer_there_and_back, whole_in_another_format, from_extension);
    None
}

/// match: a conversion of a float that was widened from this width, where it is no NaN with a
///        payload
/// result: the float itself
fn cast_to_the_same(p: &mut Pool, op: FCast, a: Expr, width: Width) -> Option<Expr> {
    let Kind::FCast(FCast::Float, x) = p.kind(a) else {
        return None;
    };
    if op != FCast::Float || p.width(x) != width || p.width(a) < width {
        return None;
    }
    // Results of float operations have the canonical NaN only.
    let canonical = match p.kind(x) {
        Kind::Bin(o, ..) => o.is_float(),
        Kind::Un(o, _) => o.is_float(),
        Kind::FCast(o, _) => !matches!(o, FCast::ToSigned | FCast::ToUnsigned),
        Kind::Fma(..) => true,
        _ => false,
    };
    canonical.then_some(x)
}

/// match: the conversion of an extended integer
/// result: the conversion of the integer, with the sign that the extension has
fn from_extension(p: &mut Pool, op: FCast, a: Expr, width: Width) -> Option<Expr> {
    match (op, p.kind(a)) {
        (FCast::FromSigned | FCast::FromUnsigned, Kind::ZExt(x)) => {
            Some(p.fcast(FCast::FromUnsigned, x, width))
        }
        (FCast::FromSigned, Kind::SExt(x)) => Some(p.fcast(FCast::FromSigned, x, width)),
        (FCast::FromSigned, _) if p.facts(a).max <= mask(p.width(a)) >> 1 => {
            Some(p.fcast(FCast::FromUnsigned, a, width))
        }
        _ => None,
    }
}
