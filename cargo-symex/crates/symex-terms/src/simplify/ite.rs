//! Simplification of if-then-else. An if-then-else of truth values becomes a formula.

use super::rules;
use crate::build::mask;
use crate::node::*;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;

pub(super) fn ite(p: &mut Pool, cond: Expr, then: Expr, other: Expr) -> Option<Expr> {
    rules!(p, (cond, then, other): ite_of_not, ite_of_same_condition);
    if p.width(then) == 1 {
        rules!(p, (cond, then, other): ite_of_bits);
    } else {
        rules!(p, (cond, then, other): ite_of_zero_and_one);
    }
    rules!(p, (cond, then, other): ite_of_shared_branch, ite_of_equality, ite_of_extensions, ite_of_shared_half);
    None
}

/// Splits two if-then-elses with the same condition: returns the condition, both values where it
/// holds, and both where it does not.
pub(super) fn same_choice(p: &Pool, a: Expr, b: Expr) -> Option<(Expr, [Expr; 2], [Expr; 2])> {
    let (
        Kind::Ite { cond, then, other },
        Kind::Ite {
            cond: c,
            then: d,
            other: e,
        },
    ) = (p.kind(a), p.kind(b))
    else {
        return None;
    };
    (c == cond).then_some((cond, [then, d], [other, e]))
}

/// match: !c ? a : b
/// result: c ? b : a
fn ite_of_not(p: &mut Pool, cond: Expr, then: Expr, other: Expr) -> Option<Expr> {
    let Kind::Un(UnOp::Not, c) = p.kind(cond) else {
        return None;
    };
    Some(p.ite(c, other, then))
}

/// match: c ? (c ? a : b) : d, c ? a : (c ? b : d)
/// result: c ? a : d
fn ite_of_same_condition(p: &mut Pool, cond: Expr, then: Expr, other: Expr) -> Option<Expr> {
    if let Kind::Ite {
        cond: c, then: a, ..
    } = p.kind(then)
        && c == cond
    {
        return Some(p.ite(cond, a, other));
    }
    if let Kind::Ite {
        cond: c, other: d, ..
    } = p.kind(other)
        && c == cond
    {
        return Some(p.ite(cond, then, d));
    }
    None
}

/// match: c ? 1 : b, c ? 0 : b, c ? a : 0, c ? a : 1, c ? c : b, c ? a : c, of one bit
/// result: c | b, !c & b, c & a, !c | a, c | b, c & a
fn ite_of_bits(p: &mut Pool, cond: Expr, then: Expr, other: Expr) -> Option<Expr> {
    let one = |e: Expr, v: u128| p.as_const(e) == Some(v);
    if one(then, 1) || then == cond {
        return Some(p.or(cond, other));
    }
    if one(other, 0) || other == cond {
        return Some(p.and(cond, then));
    }
    if one(then, 0) {
        let c = p.not(cond);
        return Some(p.and(c, other));
    }
    if one(other, 1) {
        let c = p.not(cond);
        return Some(p.or(c, then));
    }
    if super::boolean::are_complements(p, then, other) {
        return Some(p.eq(cond, then));
    }
    None
}

/// match: c ? 1 : 0, c ? 0 : 1, c ? -1 : 0, c ? 0 : -1
/// result: zext c, zext !c, sext c, sext !c
fn ite_of_zero_and_one(p: &mut Pool, cond: Expr, then: Expr, other: Expr) -> Option<Expr> {
    let (k, l, w) = (p.as_const(then)?, p.as_const(other)?, p.width(then));
    let (c, v) = match (k, l) {
        (v, 0) => (cond, v),
        (0, v) => (p.not(cond), v),
        _ => return None,
    };
    if v == 1 {
        return Some(p.zext(c, w));
    }
    (v == mask(w)).then(|| p.sext(c, w))
}

/// match: c ? a : (d ? a : b), c ? a : (d ? b : a), c ? (d ? a : b) : b, c ? (d ? b : a) : b
/// result: c | d ? a : b, c | !d ? a : b, c & d ? a : b, c & !d ? a : b
fn ite_of_shared_branch(p: &mut Pool, cond: Expr, then: Expr, other: Expr) -> Option<Expr> {
    if let Kind::Ite {
        cond: d,
        then: a,
        other: b,
    } = p.kind(other)
    {
        if a == then {
            let either = p.or(cond, d);
            return Some(p.ite(either, then, b));
        }
        if b == then {
            let d = p.not(d);
            let either = p.or(cond, d);
            return Some(p.ite(either, then, a));
        }
    }
    if let Kind::Ite {
        cond: d,
        then: a,
        other: b,
    } = p.kind(then)
    {
        if b == other {
            let both = p.and(cond, d);
            return Some(p.ite(both, a, other));
        }
        if a == other {
            let d = p.not(d);
            let both = p.and(cond, d);
            return Some(p.ite(both, b, other));
        }
    }
    None
}

/// match: x == y ? x : y, x == y ? y : x
/// result: y, x
fn ite_of_equality(p: &mut Pool, cond: Expr, then: Expr, other: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::Eq, x, y) = p.kind(cond) else {
        return None;
    };
    ((x, y) == (then, other) || (y, x) == (then, other)).then_some(other)
}

/// match: c ? zext a : zext b, c ? sext a : sext b from one width, and either with a constant that
///        is such an extension
/// result: zext (c ? a : b), sext (c ? a : b)
fn ite_of_extensions(p: &mut Pool, cond: Expr, then: Expr, other: Expr) -> Option<Expr> {
    for sign in [false, true] {
        let from = match (extended_from(p, then, sign), extended_from(p, other, sign)) {
            (Some(a), Some(b)) => a.max(b),
            (Some(a), None) if p.as_const(other).is_some() => a,
            (None, Some(b)) if p.as_const(then).is_some() => b,
            _ => continue,
        };
        let w = p.width(then);
        let extended = |p: &mut Pool, e: Expr| if sign { p.sext(e, w) } else { p.zext(e, w) };
        let a = p.extract(then, 0, from);
        let b = p.extract(other, 0, from);
        if extended(p, a) == then && extended(p, b) == other {
            let choice = p.ite(cond, a, b);
            return Some(extended(p, choice));
        }
    }
    None
}

/// Returns the width from which a term was extended, by sign or by zeros.
fn extended_from(p: &Pool, e: Expr, sign: bool) -> Option<Width> {
    match p.kind(e) {
        Kind::ZExt(a) if !sign => Some(p.width(a)),
        Kind::SExt(a) if sign => Some(p.width(a)),
        _ => None,
    }
}

/// match: c ? (h ++ a) : (h ++ b), c ? (a ++ l) : (b ++ l), cut at the same bit
/// result: h ++ (c ? a : b), (c ? a : b) ++ l
fn ite_of_shared_half(p: &mut Pool, cond: Expr, then: Expr, other: Expr) -> Option<Expr> {
    let (Kind::Concat { hi: h, lo: a }, Kind::Concat { hi: g, lo: b }) =
        (p.kind(then), p.kind(other))
    else {
        return None;
    };
    if p.width(a) != p.width(b) {
        return None;
    }
    if h == g {
        let low = p.ite(cond, a, b);
        return Some(p.concat(h, low));
    }
    if a == b {
        let high = p.ite(cond, h, g);
        return Some(p.concat(high, a));
    }
    None
}
