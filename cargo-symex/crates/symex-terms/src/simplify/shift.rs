//! Simplification of shifts. A shift by a constant only renames bits.

use super::rules;
use crate::node::*;
use crate::op::BinOp;
use crate::pool::Pool;

pub(super) fn bin(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (op, a, b): shift_of_constant, shift_by_constant, shift_too_far, ashr_of_nonnegative);
    None
}

/// match: 0 << b, 0 >> b, -1 >>s b
/// result: the constant
fn shift_of_constant(p: &mut Pool, op: BinOp, a: Expr, _b: Expr) -> Option<Expr> {
    let (v, w) = (p.as_const(a)?, p.width(a));
    (v == 0 || op == BinOp::AShr && v == super::super::build::mask(w)).then_some(a)
}

/// match: a << k, a >> k, a >>s k
/// result: a[0..w-k] ++ 0, zext a[k..], sext a[k..]
fn shift_by_constant(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (k, w) = (p.as_const(b)?, p.width(a));
    if k >= w as u128 {
        return Some(if op == BinOp::AShr {
            sign(p, a)
        } else {
            p.constant(w, 0)
        });
    }
    let k = k as Width;
    Some(match op {
        BinOp::Shl => shl(p, a, k),
        BinOp::LShr => {
            let high = p.extract(a, k, w - k);
            p.zext(high, w)
        }
        _ => {
            let high = p.extract(a, k, w - k);
            p.sext(high, w)
        }
    })
}

/// Makes `a << k`, where `k` is less than the width.
pub(super) fn shl(p: &mut Pool, a: Expr, k: Width) -> Expr {
    if k == 0 {
        return a;
    }
    let w = p.width(a);
    // A product keeps its factor in one place.
    if let Kind::Bin(BinOp::Mul, x, c) = p.kind(a)
        && let Some(c) = p.as_const(c)
    {
        let c = p.constant(w, c << k);
        return p.bin(BinOp::Mul, x, c);
    }
    let low = p.extract(a, 0, w - k);
    let zeros = p.constant(k, 0);
    p.concat(low, zeros)
}

fn sign(p: &mut Pool, a: Expr) -> Expr {
    let w = p.width(a);
    let top = p.extract(a, w - 1, 1);
    p.sext(top, w)
}

/// match: a shifted by b, where b is never less than the width
/// result: 0, or the sign in each bit
fn shift_too_far(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    if p.facts(b).min < w as u128 {
        return None;
    }
    Some(if op == BinOp::AShr {
        sign(p, a)
    } else {
        p.constant(w, 0)
    })
}

/// match: a >>s b, where the top bit of a is zero
/// result: a >> b
fn ashr_of_nonnegative(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    (op == BinOp::AShr && p.facts(a).is_nonnegative(p.width(a))).then(|| p.bin(BinOp::LShr, a, b))
}
