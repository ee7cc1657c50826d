//! Simplification of extract, concat and extensions: the operators that only rename bits. Slices
//! move inwards as long as they meet other renaming, extensions and concatenations move outwards,
//! and adjacent slices are merged.

use super::super::build::mask;
use super::multiword::concat_of_quotients;
use super::rules;
use crate::node::*;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;

pub(super) fn extract(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    match p.kind(of) {
        Kind::Extract { .. } => rules!(p, (of, lo, width): extract_of_extract),
        Kind::Concat { .. } => rules!(p, (of, lo, width): extract_of_concat),
        Kind::ZExt(_) => rules!(p, (of, lo, width): extract_of_zext),
        Kind::SExt(_) => rules!(p, (of, lo, width): extract_of_sext),
        Kind::Ite { .. } => rules!(p, (of, lo, width): extract_of_ite),
        Kind::Un(UnOp::Not, _) => rules!(p, (of, lo, width): extract_of_not),
        Kind::Bin(BinOp::And | BinOp::Or | BinOp::Xor, ..) => {
            rules!(p, (of, lo, width): extract_of_bitwise_constant, extract_of_bitwise)
        }
        Kind::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) => {
            rules!(p, (of, lo, width): extract_low_of_arithmetic, extract_above_zeros_of_sum,
                extract_of_small_product)
        }
        _ => {}
    }
    None
}

/// Reports whether an extract would end in an existing term, or in an extract that was there
/// before.
fn is_free(p: &Pool, e: Expr, lo: Width, width: Width, depth: u32) -> bool {
    if lo == 0 && width == p.width(e) {
        return true;
    }
    if depth == 0 {
        return false;
    }
    match p.kind(e) {
        Kind::Const(_) | Kind::Extract { .. } => true,
        Kind::ZExt(a) | Kind::SExt(a) => {
            let w = p.width(a);
            if lo >= w {
                matches!(p.kind(e), Kind::ZExt(_)) || w == 1
            } else {
                is_free(p, a, lo, width.min(w - lo), depth - 1)
            }
        }
        Kind::Concat { hi, lo: low } => {
            let w = p.width(low);
            if lo >= w {
                is_free(p, hi, lo - w, width, depth - 1)
            } else if lo + width <= w {
                is_free(p, low, lo, width, depth - 1)
            } else {
                is_free(p, low, lo, w - lo, depth - 1)
                    && is_free(p, hi, 0, lo + width - w, depth - 1)
            }
        }
        _ => false,
    }
}

const LOOK: u32 = 4;

/// match: x[..][lo..]
/// result: x[..]
fn extract_of_extract(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::Extract { of: x, lo: below } = p.kind(of) else {
        return None;
    };
    Some(p.extract(x, lo + below, width))
}

/// match: (h ++ l)[..]
/// result: the slices of the parts that it covers
fn extract_of_concat(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::Concat { hi, lo: low } = p.kind(of) else {
        return None;
    };
    let w = p.width(low);
    Some(if lo >= w {
        p.extract(hi, lo - w, width)
    } else if lo + width <= w {
        p.extract(low, lo, width)
    } else {
        let l = p.extract(low, lo, w - lo);
        let h = p.extract(hi, 0, lo + width - w);
        p.concat(h, l)
    })
}

/// match: (zext a)[..]
/// result: 0, a slice of a, or the extension of one
fn extract_of_zext(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::ZExt(a) = p.kind(of) else {
        return None;
    };
    let w = p.width(a);
    Some(if lo >= w {
        p.constant(width, 0)
    } else {
        let a = p.extract(a, lo, width.min(w - lo));
        p.zext(a, width)
    })
}

/// match: (sext a)[..]
/// result: a slice of a, or the extension of one
fn extract_of_sext(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::SExt(a) = p.kind(of) else {
        return None;
    };
    let w = p.width(a);
    let lo = lo.min(w - 1);
    let a = p.extract(a, lo, width.min(w - lo));
    Some(p.sext(a, width))
}

/// match: (c ? a : b)[..], where slicing a and b costs nothing
/// result: c ? a[..] : b[..]
fn extract_of_ite(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::Ite { cond, then, other } = p.kind(of) else {
        return None;
    };
    if !is_free(p, then, lo, width, LOOK) || !is_free(p, other, lo, width, LOOK) {
        return None;
    }
    let then = p.extract(then, lo, width);
    let other = p.extract(other, lo, width);
    Some(p.ite(cond, then, other))
}

/// match: (!a)[..], where slicing a costs nothing, or of one bit
/// result: !(a[..])
fn extract_of_not(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::Un(UnOp::Not, a) = p.kind(of) else {
        return None;
    };
    if width != 1 && !is_free(p, a, lo, width, LOOK) {
        return None;
    }
    let a = p.extract(a, lo, width);
    Some(p.not(a))
}

/// match: (a op c)[..] for op in & | ^, where the slice of c is all zeros or (for & |) all ones
/// result: a[..], or a constant
fn extract_of_bitwise_constant(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::Bin(op, a, b) = p.kind(of) else {
        return None;
    };
    let c = p.as_const(b)? >> lo & mask(width);
    match op {
        BinOp::And if c == 0 => return Some(p.constant(width, 0)),
        BinOp::Or if c == mask(width) => return Some(p.constant(width, c)),
        BinOp::And if c == mask(width) => {}
        BinOp::Or | BinOp::Xor if c == 0 => {}
        _ => return None,
    }
    Some(p.extract(a, lo, width))
}

/// match: (a op b)[..] for op in & | ^, where slicing both costs nothing, or of one bit
/// result: a[..] op b[..]
fn extract_of_bitwise(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::Bin(op, a, b) = p.kind(of) else {
        return None;
    };
    if width != 1 && (!is_free(p, a, lo, width, LOOK) || !is_free(p, b, lo, width, LOOK)) {
        return None;
    }
    let a = p.extract(a, lo, width);
    let b = p.extract(b, lo, width);
    Some(p.bin(op, a, b))
}

/// match: (a op b)[0..] for op in + - *, where slicing both costs nothing or one is a constant
/// result: a[0..] op b[0..]
fn extract_low_of_arithmetic(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::Bin(op, a, b) = p.kind(of) else {
        return None;
    };
    let constant = p.as_const(a).is_some() || p.as_const(b).is_some();
    if lo != 0 || !constant && (!is_free(p, a, 0, width, LOOK) || !is_free(p, b, 0, width, LOOK)) {
        return None;
    }
    let a = p.extract(a, 0, width);
    let b = p.extract(b, 0, width);
    Some(p.bin(op, a, b))
}

/// match: (a + b)[lo..], where the bits of one of them below lo are zero
/// result: a[lo..] + b[lo..], where slicing both costs nothing
fn extract_above_zeros_of_sum(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::Bin(BinOp::Add, a, b) = p.kind(of) else {
        return None;
    };
    let no_carry = p.facts(a).trailing_zeros() >= lo || p.facts(b).trailing_zeros() >= lo;
    if !no_carry || !is_free(p, a, lo, width, LOOK) || !is_free(p, b, lo, width, LOOK) {
        return None;
    }
    let a = p.extract(a, lo, width);
    let b = p.extract(b, lo, width);
    Some(p.add(a, b))
}

/// match: (a * c)[lo..], where the product is below the end of the slice and slicing a costs
///        nothing
/// result: the slice of a product that ends with it
fn extract_of_small_product(p: &mut Pool, of: Expr, lo: Width, width: Width) -> Option<Expr> {
    let Kind::Bin(BinOp::Mul, a, c) = p.kind(of) else {
        return None;
    };
    let (end, most) = (lo + width, p.facts(a).max.checked_mul(p.as_const(c)?)?);
    if end >= p.width(of) || most > mask(end) || !is_free(p, a, 0, end, LOOK) {
        return None;
    }
    let a = p.extract(a, 0, end);
    let c = p.extract(c, 0, end);
    let product = p.bin(BinOp::Mul, a, c);
    Some(p.extract(product, lo, width))
}

pub(super) fn concat(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    rules!(p, (hi, lo): concat_of_concat, concat_of_extension);
    if p.as_const(hi).is_some() {
        rules!(p, (hi, lo): concat_zero, concat_of_constants);
    }
    rules!(p, (hi, lo): concat_of_sign, concat_of_slices, concat_of_slices_above,
        concat_of_quotients,
        concat_of_ites, concat_of_nots, concat_of_sum);
    None
}

/// match: (a ++ b) ++ lo
/// result: a ++ (b ++ lo)
fn concat_of_concat(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let Kind::Concat { hi: a, lo: b } = p.kind(hi) else {
        return None;
    };
    let lo = p.concat(b, lo);
    Some(p.concat(a, lo))
}

/// match: zext a ++ lo, sext a ++ lo
/// result: zext (a ++ lo), sext (a ++ lo)
fn concat_of_extension(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let (Kind::ZExt(a) | Kind::SExt(a)) = p.kind(hi) else {
        return None;
    };
    let width = p.width(hi) + p.width(lo);
    let inner = p.concat(a, lo);
    Some(if matches!(p.kind(hi), Kind::ZExt(_)) {
        p.zext(inner, width)
    } else {
        p.sext(inner, width)
    })
}

/// match: 0 ++ lo
/// result: zext lo
fn concat_zero(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let width = p.width(hi) + p.width(lo);
    (p.as_const(hi)? == 0).then(|| p.zext(lo, width))
}

/// match: c ++ (d ++ x), c ++ zext x
/// result: cd ++ x
fn concat_of_constants(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let c = p.as_const(hi)?;
    let (d, x) = match p.kind(lo) {
        Kind::Concat { hi: d, lo: x } => (p.as_const(d)?, x),
        Kind::ZExt(x) => (0, x),
        _ => return None,
    };
    let between = p.width(lo) - p.width(x);
    let joined = p.constant(p.width(hi) + between, c << between | d);
    Some(p.concat(joined, x))
}

/// match: x[top] ++ x, and the same of slices
/// result: sext x
fn concat_of_sign(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let Kind::Extract { of, lo: at } = p.kind(hi) else {
        return None;
    };
    let w = p.width(lo);
    if p.width(hi) != 1 {
        return None;
    }
    let is_sign = match p.kind(lo) {
        _ if of == lo => at == w - 1,
        Kind::Extract { of: x, lo: from } => x == of && at == from + w - 1,
        _ => false,
    };
    is_sign.then(|| p.sext(lo, w + 1))
}

/// match: hi ++ lo, where they are slices of one term side by side
/// result: the slice of both
fn concat_of_slices(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let (wh, wl) = (p.width(hi), p.width(lo));
    // One of them shows the term; what the other should be is what slicing gives, which need not be
    // an extract.
    if let Kind::Extract { of, lo: at } = p.kind(hi)
        && at >= wl
        && p.extract(of, at - wl, wl) == lo
    {
        return Some(p.extract(of, at - wl, wh + wl));
    }
    if let Kind::Extract { of, lo: at } = p.kind(lo)
        && at + wl + wh <= p.width(of)
        && p.extract(of, at + wl, wh) == hi
    {
        return Some(p.extract(of, at, wh + wl));
    }
    None
}

/// match: hi ++ (m ++ l), where hi and m are slices of one term side by side
/// result: (hi m) ++ l
fn concat_of_slices_above(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let Kind::Concat { hi: m, lo: l } = p.kind(lo) else {
        return None;
    };
    let both = concat_of_slices(p, hi, m)?;
    Some(p.concat(both, l))
}

/// match: (c ? a : b) ++ (c ? d : e), (c ? k : l) ++ m with constants k, l and m
/// result: c ? (a ++ d) : (b ++ e)
fn concat_of_ites(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let constant = |e: Expr| p.as_const(e).is_some();
    let (cond, a, b, d, e) = match (p.kind(hi), p.kind(lo)) {
        (
            Kind::Ite {
                cond,
                then: a,
                other: b,
            },
            Kind::Ite {
                cond: c,
                then: d,
                other: e,
            },
        ) if c == cond => (cond, a, b, d, e),
        (
            Kind::Ite {
                cond,
                then: a,
                other: b,
            },
            Kind::Const(_),
        ) if constant(a) && constant(b) => (cond, a, b, lo, lo),
        (
            Kind::Const(_),
            Kind::Ite {
                cond,
                then: d,
                other: e,
            },
        ) if constant(d) && constant(e) => (cond, hi, hi, d, e),
        _ => return None,
    };
    let then = p.concat(a, d);
    let other = p.concat(b, e);
    Some(p.ite(cond, then, other))
}

/// match: !a ++ !b
/// result: !(a ++ b)
fn concat_of_nots(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let (Kind::Un(UnOp::Not, a), Kind::Un(UnOp::Not, b)) = (p.kind(hi), p.kind(lo)) else {
        return None;
    };
    let both = p.concat(a, b);
    Some(p.not(both))
}

/// match: (y + c) ++ d with constants c and d
/// result: (y ++ 0) + (c ++ d)
fn concat_of_sum(p: &mut Pool, hi: Expr, lo: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::Add, y, c) = p.kind(hi) else {
        return None;
    };
    let (c, d, wl) = (p.as_const(c)?, p.as_const(lo)?, p.width(lo));
    let zero = p.constant(wl, 0);
    let shifted = p.concat(y, zero);
    let c = p.constant(p.width(hi) + wl, c << wl | d);
    Some(p.add(shifted, c))
}

pub(super) fn zext(p: &mut Pool, a: Expr, width: Width) -> Option<Expr> {
    rules!(p, (a, width): zext_of_zext, zext_of_low_part, extension_of_constants);
    None
}

/// match: zext x[0..n], where the bits of x above are known to be zero
/// result: x, extended or cut to the width
fn zext_of_low_part(p: &mut Pool, a: Expr, width: Width) -> Option<Expr> {
    let Kind::Extract { of, lo: 0 } = p.kind(a) else {
        return None;
    };
    (p.facts(of).max <= mask(p.width(a))).then(|| p.resize(of, width))
}

/// match: zext (zext a)
/// result: zext a
fn zext_of_zext(p: &mut Pool, a: Expr, width: Width) -> Option<Expr> {
    let Kind::ZExt(a) = p.kind(a) else {
        return None;
    };
    Some(p.zext(a, width))
}

/// match: zext (c ? k : l) with constants k and l
/// result: c ? k' : l'
fn extension_of_constants(p: &mut Pool, a: Expr, width: Width) -> Option<Expr> {
    let Kind::Ite { cond, then, other } = p.kind(a) else {
        return None;
    };
    let (then, other) = (p.as_const(then)?, p.as_const(other)?);
    let then = p.constant(width, then);
    let other = p.constant(width, other);
    Some(p.ite(cond, then, other))
}

pub(super) fn sext(p: &mut Pool, a: Expr, width: Width) -> Option<Expr> {
    rules!(p, (a, width): sext_of_sext, sext_of_nonnegative, sext_of_constants);
    None
}

/// match: sext (sext a)
/// result: sext a
fn sext_of_sext(p: &mut Pool, a: Expr, width: Width) -> Option<Expr> {
    let Kind::SExt(a) = p.kind(a) else {
        return None;
    };
    Some(p.sext(a, width))
}

/// match: sext a, where the top bit of a is known to be zero
/// result: zext a
fn sext_of_nonnegative(p: &mut Pool, a: Expr, width: Width) -> Option<Expr> {
    p.facts(a)
        .is_nonnegative(p.width(a))
        .then(|| p.zext(a, width))
}

/// match: sext (c ? k : l) with constants k and l
/// result: c ? k' : l'
fn sext_of_constants(p: &mut Pool, a: Expr, width: Width) -> Option<Expr> {
    let Kind::Ite { cond, then, other } = p.kind(a) else {
        return None;
    };
    if p.as_const(then).is_none() || p.as_const(other).is_none() {
        return None;
    }
    let then = p.sext(then, width);
    let other = p.sext(other, width);
    Some(p.ite(cond, then, other))
}
