//! Simplification of relations between sign bits.

use crate::node::*;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;

/// Returns the number whose top bit this is.
fn sign_of(p: &Pool, e: Expr) -> Option<Expr> {
    match p.kind(e) {
        Kind::Extract { of, lo } if p.width(e) == 1 && lo == p.width(of) - 1 => Some(of),
        _ => None,
    }
}

/// Returns the numbers whose signs `x[top] ^ y[top]` compares. The sign of an extended number is
/// that of the number.
fn signs_differ(p: &Pool, e: Expr) -> Option<(Expr, Expr)> {
    let Kind::Bin(BinOp::Xor, x, y) = p.kind(e) else {
        return None;
    };
    Some((sign_of(p, x)?, sign_of(p, y)?))
}

/// match: x and y have the same sign and x + y another, x and y have not and x - y another than x,
///        x has this sign and x + d the other: the overflow tests of signed sums and differences,
///        where the signed ranges leave no overflow
/// result: 0
pub(super) fn signed_sum_in_range(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    for (signs, turned) in [(a, b), (b, a)] {
        let Some((x, y)) = signs_differ(p, turned) else {
            continue;
        };
        let (is, signs) = match p.kind(signs) {
            Kind::Un(UnOp::Not, e) => (false, e),
            _ => (true, signs),
        };
        for (x, sum) in [(x, y), (y, x)] {
            if overflow_is_out_of_range(p, is, signs, x, sum).is_some() {
                return Some(p.bool(false));
            }
        }
    }
    None
}

/// Returns `Some` if ranges exclude that `sum` has another sign than `x`, given that the term
/// `signs` is `is`.
fn overflow_is_out_of_range(p: &mut Pool, is: bool, signs: Expr, x: Expr, sum: Expr) -> Option<()> {
    let w = p.width(sum);
    if p.width(x) > w {
        return None;
    }
    if sign_of(p, signs) == Some(x) {
        let wide = p.sext(x, w);
        let d = p.sub(sum, wide);
        let range = p.signed_range(x).of_sign(is)?.sum(p.signed_range(d), w)?;
        return (if is { range.max < 0 } else { range.min >= 0 }).then_some(());
    }
    let y = match signs_differ(p, signs)? {
        (u, v) if u == x => v,
        (u, v) if v == x => u,
        _ => return None,
    };
    if p.width(y) > w {
        return None;
    }
    let (a, b) = (p.sext(x, w), p.sext(y, w));
    // Differing signs are for differences.
    let (whole, range) = if is {
        let range = p.signed_range(a).difference(p.signed_range(b), w);
        (p.sub(a, b), range)
    } else {
        let range = p.signed_range(a).sum(p.signed_range(b), w);
        (p.add(a, b), range)
    };
    (whole == sum && range.is_some()).then_some(())
}
