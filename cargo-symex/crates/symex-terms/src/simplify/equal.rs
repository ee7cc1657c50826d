//! Simplification of equality of terms of more than one bit.

use super::lanes::eq_search_zero;
use super::multiword::bare;
use super::pieces::is_condition;
use super::whole::eq_whole;
use super::{Sum, rules};
use crate::build::mask;
use crate::node::*;
use crate::number;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;

pub(super) fn eq(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (a, b): eq_self, eq_of_disjoint, eq_of_bases, eq_in_table);
    if p.as_const(b).is_some() {
        match p.kind(a) {
            Kind::ZExt(_) | Kind::SExt(_) => rules!(p, (a, b): eq_extension_constant),
            Kind::Concat { .. } => rules!(p, (a, b): eq_concat_constant),
            Kind::Ite { .. } => rules!(p, (a, b): eq_ite_constant),
            Kind::Un(..) => rules!(p, (a, b): eq_not_constant, eq_count_constant),
            Kind::Bin(BinOp::Add | BinOp::Sub, ..) => rules!(p, (a, b): eq_sum_constant),
            Kind::Bin(BinOp::Mul, ..) => rules!(p, (a, b): eq_product_constant),
            Kind::Bin(BinOp::Xor, ..) => rules!(p, (a, b): eq_xor_constant),
            Kind::Bin(BinOp::And, ..) => rules!(p, (a, b): eq_search_zero),
            Kind::Bin(BinOp::UDiv, ..) => rules!(p, (a, b): eq_quotient_zero),
            Kind::Extract { .. } => rules!(p, (a, b): eq_slice_constant),
            Kind::FCast(..) => rules!(p, (a, b): eq_whole),
            _ => {}
        }
        return None;
    }
    rules!(p, (a, b): eq_of_extensions, eq_of_concats, eq_of_nots, eq_of_xors, eq_of_sums, eq_of_ites, eq_whole);
    None
}

/// match: a == a
/// result: 1
fn eq_self(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    (a == b).then(|| p.bool(true))
}

/// match: a == b, where known bits or ranges exclude each other
/// result: 0
fn eq_of_disjoint(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let apart = p.facts(a).excludes(&p.facts(b)) || p.signed_range(a).excludes(p.signed_range(b));
    apart.then(|| p.bool(false))
}

/// match: base == base of another object
/// result: 0: no two objects begin at one address
fn eq_of_bases(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (Kind::Base { object, .. }, Kind::Base { object: other, .. }) = (p.kind(a), p.kind(b))
    else {
        return None;
    };
    (object != other).then(|| p.bool(false))
}

/// Greatest number of elements of a table with bases that are compared one by one.
const MAX_POINTERS: usize = 2048;

/// match: t[i] == x, where a table holds bases, x is a base or a constant, and it is known of each
///        element whether it is x
/// result: an element of the table of the answers: it holds no base, so it is the same wherever the
///         objects are
fn eq_in_table(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (array, index, x) = match (p.kind(a), p.kind(b)) {
        (Kind::Select { array, index }, Kind::Const(_) | Kind::Base { .. }) => (array, index, b),
        (Kind::Base { .. }, Kind::Select { array, index }) => (array, index, a),
        _ => return None,
    };
    let ArrayKind::Table(elems) = p.array_kind(array) else {
        return None;
    };
    if !p.array_has_base(array) || elems.len() > MAX_POINTERS {
        return None;
    }
    let elems = elems.clone();
    let mut answers = Vec::with_capacity(elems.len());
    for e in elems.iter() {
        let same = p.eq(*e, x);
        p.as_const(same)?;
        answers.push(same);
    }
    let name = p.array_name(array);
    let answers = p.named_table(name, answers.into());
    Some(p.select(answers, index))
}

/// match: zext a == c, sext a == c
/// result: a == c, or 0 if c is no such extension
fn eq_extension_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (Kind::ZExt(x) | Kind::SExt(x)) = p.kind(a) else {
        return None;
    };
    let (c, w, inner) = (p.as_const(b)?, p.width(a), p.width(x));
    let extended = match p.kind(a) {
        Kind::ZExt(_) => c & mask(inner),
        _ => number::sign_extend(c, inner) as u128 & mask(w),
    };
    if extended != c {
        return Some(p.bool(false));
    }
    let c = p.constant(inner, c);
    Some(p.eq(x, c))
}

/// match: (h ++ l) == c, where one part is a constant, or one bit that is a condition
/// result: the equality of the other part, if the condition holds or does not
fn eq_concat_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Concat { hi, lo } = p.kind(a) else {
        return None;
    };
    let (c, wl, wh) = (p.as_const(b)?, p.width(lo), p.width(hi));
    let (ch, cl) = (c >> wl, c & mask(wl));
    if !p.facts(hi).allows(ch) || !p.facts(lo).allows(cl) {
        return Some(p.bool(false));
    }
    // Both are allowed: a constant part agrees.
    if p.as_const(hi).is_some() {
        let c = p.constant(wl, cl);
        return Some(p.eq(lo, c));
    }
    if p.as_const(lo).is_some() {
        let c = p.constant(wh, ch);
        return Some(p.eq(hi, c));
    }
    if is_condition(p, hi) || is_condition(p, lo) {
        let (ch, cl) = (p.constant(wh, ch), p.constant(wl, cl));
        let (high, low) = (p.eq(hi, ch), p.eq(lo, cl));
        return Some(p.and(high, low));
    }
    None
}

/// match: (c ? k : x) == d, (c ? x : k) == d with constants k and d
/// result: c, !c, 0, or their combination with x == d
fn eq_ite_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Ite { cond, then, other } = p.kind(a) else {
        return None;
    };
    if p.as_const(then).is_none() && p.as_const(other).is_none() {
        return None;
    }
    let then = p.eq(then, b);
    let other = p.eq(other, b);
    Some(p.ite(cond, then, other))
}

/// match: !a == c
/// result: a == ~c
fn eq_not_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Un(UnOp::Not, x) = p.kind(a) else {
        return None;
    };
    let c = p.not(b);
    Some(p.eq(x, c))
}

/// match: popcount a == 0, popcount a == w, clz a == c, ctz a == c
/// result: a == 0, a == -1, the highest or lowest bits are zeros up to a one, or a == 0
fn eq_count_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Un(op @ (UnOp::Popcount | UnOp::Clz | UnOp::Ctz), x) = p.kind(a) else {
        return None;
    };
    let (c, w) = (p.as_const(b)?, p.width(a));
    let all = u128::from(w);
    let (bits, wanted) = match op {
        UnOp::Popcount if c == 0 => (x, 0),
        UnOp::Popcount if c == all => (x, mask(w)),
        UnOp::Popcount => return None,
        _ if c == all => (x, 0),
        _ if c > all => return Some(p.bool(false)),
        UnOp::Ctz => (p.extract(x, 0, c as Width + 1), 1 << c),
        _ => (p.extract(x, w - 1 - c as Width, c as Width + 1), 1),
    };
    let wanted = p.constant(p.width(bits), wanted);
    Some(p.eq(bits, wanted))
}

/// match: x + c == d, c - x == d, x - y == 0
/// result: x == d - c, x == c - d, x == y
fn eq_sum_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (d, w) = (p.as_const(b)?, p.width(a));
    match p.kind(a) {
        Kind::Bin(BinOp::Add, x, c) => {
            let c = p.as_const(c)?;
            let rest = p.constant(w, d.wrapping_sub(c));
            Some(p.eq(x, rest))
        }
        Kind::Bin(BinOp::Sub, x, y) => {
            if let Some(c) = p.as_const(x) {
                let rest = p.constant(w, c.wrapping_sub(d));
                return Some(p.eq(y, rest));
            }
            (d == 0).then(|| p.eq(x, y))
        }
        _ => None,
    }
}

/// match: x * c == d, where c is odd
/// result: x == d / c, modulo 2^w
fn eq_product_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::Mul, x, c) = p.kind(a) else {
        return None;
    };
    let (c, d, w) = (p.as_const(c)?, p.as_const(b)?, p.width(a));
    if c & 1 == 0 {
        return None;
    }
    // Newton's iteration doubles the number of right bits; c is its own inverse modulo 8.
    let mut inverse = c;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(c.wrapping_mul(inverse)));
    }
    let rest = p.constant(w, d.wrapping_mul(inverse));
    Some(p.eq(x, rest))
}

/// match: x ^ c == d, x ^ y == 0
/// result: x == c ^ d, x == y
fn eq_xor_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::Xor, x, y) = p.kind(a) else {
        return None;
    };
    let d = p.as_const(b)?;
    if p.as_const(y).is_some() {
        let rest = p.bin(BinOp::Xor, y, b);
        return Some(p.eq(x, rest));
    }
    (d == 0).then(|| p.eq(x, y))
}

/// match: x / c == 0
/// result: x < c
fn eq_quotient_zero(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::UDiv, x, c) = p.kind(a) else {
        return None;
    };
    (p.as_const(b)? == 0 && p.as_const(c)? != 0).then(|| p.ult(x, c))
}

/// match: x[0..] == c, where x is a quotient or remainder and the slice loses nothing
/// result: x == c
fn eq_slice_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (x, c) = (bare(p, a), p.as_const(b)?);
    if x == a || !matches!(p.kind(x), Kind::Bin(BinOp::UDiv | BinOp::URem, ..)) {
        return None;
    }
    let c = p.constant(p.width(x), c);
    Some(p.eq(x, c))
}

/// match: zext a == zext b, sext a == sext b from one width
/// result: a == b
fn eq_of_extensions(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    match (p.kind(a), p.kind(b)) {
        (Kind::ZExt(x), Kind::ZExt(y)) => {
            let inner = p.width(x).max(p.width(y));
            let x = p.zext(x, inner);
            let y = p.zext(y, inner);
            Some(p.eq(x, y))
        }
        (Kind::SExt(x), Kind::SExt(y)) => {
            let inner = p.width(x).max(p.width(y));
            let x = p.sext(x, inner);
            let y = p.sext(y, inner);
            Some(p.eq(x, y))
        }
        _ => None,
    }
}

/// match: (h ++ l) == (g ++ k), cut at the same bit, where one half is decided
/// result: 0, or the equality of the other halves
fn eq_of_concats(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (Kind::Concat { hi, lo }, Kind::Concat { hi: g, lo: k }) = (p.kind(a), p.kind(b)) else {
        return None;
    };
    if p.width(lo) != p.width(k) {
        return None;
    }
    if p.facts(hi).excludes(&p.facts(g)) || p.facts(lo).excludes(&p.facts(k)) {
        return Some(p.bool(false));
    }
    if hi == g {
        return Some(p.eq(lo, k));
    }
    (lo == k).then(|| p.eq(hi, g))
}

/// match: !a == !b
/// result: a == b
fn eq_of_nots(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (Kind::Un(UnOp::Not, x), Kind::Un(UnOp::Not, y)) = (p.kind(a), p.kind(b)) else {
        return None;
    };
    Some(p.eq(x, y))
}

/// match: x ^ y == x ^ z, x ^ y == x
/// result: y == z, y == 0
fn eq_of_xors(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let parts = |e: Expr| match p.kind(e) {
        Kind::Bin(BinOp::Xor, x, y) => Some((x, y)),
        _ => None,
    };
    let shared = |(x, y): (Expr, Expr), z: Expr| {
        if x == z {
            Some(y)
        } else if y == z {
            Some(x)
        } else {
            None
        }
    };
    match (parts(a), parts(b)) {
        (Some(s), Some((x, y))) => {
            if let Some(rest) = shared(s, x) {
                return Some(p.eq(rest, y));
            }
            let rest = shared(s, y)?;
            Some(p.eq(rest, x))
        }
        (Some(s), None) | (None, Some(s)) => {
            let rest = shared(s, if parts(a).is_some() { b } else { a })?;
            let zero = p.constant(p.width(a), 0);
            Some(p.eq(rest, zero))
        }
        _ => None,
    }
}

/// match: a == b, sums that share terms or have a constant each, or that are the same or differ by
///        a constant once extensions are taken apart; not for addresses of two objects, which the
///        memory model compares
/// result: what is left on each side, or 0 or 1
fn eq_of_sums(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let is_sum = |e: Expr| match p.kind(e) {
        Kind::Bin(BinOp::Add | BinOp::Sub | BinOp::Mul, ..) | Kind::Un(UnOp::Not, _) => true,
        Kind::Concat { lo, .. } => p.as_const(lo).is_some(),
        _ => false,
    };
    if !is_sum(a) && !is_sum(b) {
        return None;
    }
    let w = p.width(a);
    let (left, right) = (Sum::of(p, a)?, Sum::of(p, b)?);
    let mut rest = left.clone();
    if !rest.add(p, b, mask(w)) {
        return None;
    }
    rest.take_remainders(p);
    if let Some(c) = rest.as_const().or_else(|| rest.opened(p)?.as_const()) {
        return Some(p.bool(c == 0));
    }
    let (positive, negative) = rest.by_sign();
    let cancelled = positive.len() + negative.len() < left.terms.len() + right.terms.len();
    if !cancelled && (left.constant == 0 || right.constant == 0) {
        return None;
    }
    let bases = rest
        .terms
        .iter()
        .filter(|t| t.1 != 0 && matches!(p.kind(t.0), Kind::Base { .. }))
        .count();
    if bases > 1 {
        return None;
    }
    let mut left = Sum {
        width: w,
        terms: positive,
        constant: rest.constant,
    };
    let mut right = Sum {
        width: w,
        terms: negative,
        constant: 0,
    };
    // The constant goes where it stands alone, or where it is the smaller number.
    if right.terms.is_empty() || !left.terms.is_empty() && left.constant > mask(w) >> 1 {
        right.constant = left.constant.wrapping_neg() & mask(w);
        left.constant = 0;
    }
    let left = left.build(p);
    let right = right.build(p);
    Some(p.eq(left, right))
}

/// match: (c ? a : b) == (c ? d : e), where one of a == d and b == e is decided
/// result: their combination
fn eq_of_ites(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (cond, [then, d], [other, e]) = super::ite::same_choice(p, a, b)?;
    let decided = |x: Expr, y: Expr| x == y || p.facts(x).excludes(&p.facts(y));
    if !decided(then, d) && !decided(other, e) {
        return None;
    }
    let then = p.eq(then, d);
    let other = p.eq(other, e);
    Some(p.ite(cond, then, other))
}
