//! Simplification of comparisons, unsigned and signed.

use super::multiword::{self, by_constant};
use super::rules;
use crate::assignment::LOWEST_ADDRESS;
use crate::build::mask;
use crate::node::*;
use crate::number;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;

pub(super) fn unsigned(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (op, a, b): order_self, unsigned_by_range, ule_constant);
    rules!(p, (op, a, b): order_of_extensions, order_of_concats, order_of_nots, order_of_constant_ite,
        order_of_ites, unsigned_overflow, order_in_object, unsigned_of_parts);
    if op == BinOp::ULt {
        rules!(p, (a, b): ult_of_quotient, ult_of_high_product, ult_at_the_edge, ult_is_sign);
    }
    None
}

pub(super) fn signed(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (op, a, b): order_self, signed_by_range, sle_constant, signed_as_unsigned);
    rules!(p, (op, a, b): order_of_extensions, order_of_concats, order_of_nots, order_of_constant_ite,
        order_of_ites, signed_overflow);
    if op == BinOp::SLt {
        rules!(p, (a, b): slt_is_sign, slt_at_the_edge);
    }
    None
}

fn is_strict(op: BinOp) -> bool {
    matches!(op, BinOp::ULt | BinOp::SLt)
}

fn is_signed(op: BinOp) -> bool {
    matches!(op, BinOp::SLt | BinOp::SLe)
}

/// Returns the strict or the weak comparison of the same signedness.
fn with_strictness(op: BinOp, strict: bool) -> BinOp {
    match (is_signed(op), strict) {
        (false, true) => BinOp::ULt,
        (false, false) => BinOp::ULe,
        (true, true) => BinOp::SLt,
        (true, false) => BinOp::SLe,
    }
}

/// match: a < a, a <= a
/// result: 0, 1
fn order_self(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    (a == b).then(|| p.bool(!is_strict(op)))
}

/// match: a < b, a <= b, where the ranges decide
/// result: 0 or 1
fn unsigned_by_range(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = (p.facts(a), p.facts(b));
    if x.max < y.min || !is_strict(op) && x.max == y.min {
        return Some(p.bool(true));
    }
    (x.min > y.max || is_strict(op) && x.min == y.max).then(|| p.bool(false))
}

/// match: a <= c, c <= a (c is neither least nor greatest, by range)
/// result: a < c + 1, c - 1 < a
fn ule_constant(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    if op != BinOp::ULe {
        return None;
    }
    let w = p.width(a);
    if let Some(c) = p.as_const(b) {
        let next = c.checked_add(1).filter(|v| *v <= mask(w))?;
        let next = p.constant(w, next);
        return Some(p.ult(a, next));
    }
    let c = p.as_const(a)?.checked_sub(1)?;
    let before = p.constant(w, c);
    Some(p.ult(before, b))
}

/// match: zext a < zext b, sext a < sext b, and either with a constant that is such an extension
/// result: a < b, unsigned between zero-extensions
fn order_of_extensions(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (zero, x, y) = match (p.kind(a), p.kind(b)) {
        (Kind::ZExt(x), Kind::ZExt(y)) => {
            let inner = p.width(x).max(p.width(y));
            (true, p.zext(x, inner), p.zext(y, inner))
        }
        (Kind::SExt(x), Kind::SExt(y)) => {
            let inner = p.width(x).max(p.width(y));
            (false, p.sext(x, inner), p.sext(y, inner))
        }
        (Kind::ZExt(x), Kind::Const(c)) if c <= mask(p.width(x)) => {
            (true, x, p.constant(p.width(x), c))
        }
        (Kind::Const(c), Kind::ZExt(y)) if c <= mask(p.width(y)) => {
            (true, p.constant(p.width(y), c), y)
        }
        (Kind::SExt(x), Kind::Const(_)) => (false, x, truncated(p, b, p.width(x))?),
        (Kind::Const(_), Kind::SExt(y)) => (false, truncated(p, a, p.width(y))?, y),
        _ => return None,
    };
    let op = if zero && is_signed(op) {
        if is_strict(op) {
            BinOp::ULt
        } else {
            BinOp::ULe
        }
    } else {
        op
    };
    Some(p.bin(op, x, y))
}

/// Truncates the constant to `width` bits, if it is the sign-extension of the result.
fn truncated(p: &mut Pool, constant: Expr, width: Width) -> Option<Expr> {
    let w = p.width(constant);
    let low = p.extract(constant, 0, width);
    (p.sext(low, w) == constant).then_some(low)
}

/// match: (h ++ l) < (g ++ k), cut at the same bit, or with a constant, where h and g are equal or
///        l and k are ordered
/// result: the comparison of one part
fn order_of_concats(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (hi, lo, g, k) = match (p.kind(a), p.kind(b)) {
        (Kind::Concat { hi, lo }, Kind::Concat { hi: g, lo: k }) if p.width(lo) == p.width(k) => {
            (hi, lo, g, k)
        }
        (Kind::Concat { hi, lo }, Kind::Const(_)) => {
            let w = p.width(lo);
            (hi, lo, p.extract(b, w, p.width(hi)), p.extract(b, 0, w))
        }
        (Kind::Const(_), Kind::Concat { hi: g, lo: k }) => {
            let w = p.width(k);
            (p.extract(a, w, p.width(g)), p.extract(a, 0, w), g, k)
        }
        _ => return None,
    };
    if hi == g {
        let unsigned = if is_strict(op) {
            BinOp::ULt
        } else {
            BinOp::ULe
        };
        return Some(p.bin(unsigned, lo, k));
    }
    let (x, y) = (p.facts(lo), p.facts(k));
    // Equal high parts leave it to the low parts, whose order is known.
    let low_holds = if x.max < y.min || !is_strict(op) && x.max <= y.min {
        true
    } else if x.min > y.max || is_strict(op) && x.min >= y.max {
        false
    } else {
        return None;
    };
    Some(p.bin(with_strictness(op, !low_holds), hi, g))
}

/// match: !a < !b, !a < c, c < !b
/// result: b < a, ~c < a, b < ~c
fn order_of_nots(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = match (p.kind(a), p.kind(b)) {
        (Kind::Un(UnOp::Not, x), Kind::Un(UnOp::Not, y)) => (x, y),
        (Kind::Un(UnOp::Not, x), Kind::Const(_)) => (x, p.not(b)),
        (Kind::Const(_), Kind::Un(UnOp::Not, y)) => (p.not(a), y),
        _ => return None,
    };
    Some(p.bin(op, y, x))
}

/// match: (c ? k : x) < d, d < (c ? k : x) with constants k and d, or the branches exchanged
/// result: c ? 0 or 1 : x < d
fn order_of_constant_ite(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let constant = |e: Expr| p.as_const(e).is_some();
    match (p.kind(a), p.kind(b)) {
        (Kind::Ite { cond, then, other }, Kind::Const(_)) if constant(then) || constant(other) => {
            let then = p.bin(op, then, b);
            let other = p.bin(op, other, b);
            Some(p.ite(cond, then, other))
        }
        (Kind::Const(_), Kind::Ite { cond, then, other }) if constant(then) || constant(other) => {
            let then = p.bin(op, a, then);
            let other = p.bin(op, a, other);
            Some(p.ite(cond, then, other))
        }
        _ => None,
    }
}

/// match: (c ? a : b) < (c ? d : e), where one of a < d and b < e is decided
/// result: their combination
fn order_of_ites(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (cond, [then, d], [other, e]) = super::ite::same_choice(p, a, b)?;
    let then = p.bin(op, then, d);
    let other = p.bin(op, other, e);
    let decided = p.as_const(then).is_some() || p.as_const(other).is_some();
    decided.then(|| p.ite(cond, then, other))
}

/// Returns `y`, if `e` is `x + y` with `x` being `term`.
fn addend(p: &Pool, e: Expr, term: Expr) -> Option<Expr> {
    match p.kind(e) {
        Kind::Bin(BinOp::Add, x, y) if x == term => Some(y),
        Kind::Bin(BinOp::Add, x, y) if y == term => Some(x),
        _ => None,
    }
}

/// Splits `e` and `f` into `x + c` and `x + d`.
fn offsets(p: &Pool, e: Expr, f: Expr) -> Option<(Expr, u128, u128)> {
    let split = |e: Expr| match p.kind(e) {
        Kind::Bin(BinOp::Add, x, c) => p.as_const(c).map_or((e, 0), |c| (x, c)),
        _ => (e, 0),
    };
    let ((x, c), (y, d)) = (split(e), split(f));
    (x == y).then_some((x, c, d))
}

/// match: x + c < x + d: the overflow test of an addition, and steps of a counter
/// result: a comparison of x with constants, where one of the sums is x; 0 or 1 where neither can
///         overflow
fn unsigned_overflow(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    let m = mask(w);
    if let Some((x, c, d)) = offsets(p, a, b) {
        if p.has_base(x) {
            return None;
        }
        let most = p.facts(x).max;
        if most.checked_add(c.max(d)).is_some_and(|v| v <= m) {
            return Some(p.bool(number::bin(op, w, c, d) == 1));
        }
        // c and d differ, or a and b would be one term: the order is strict.
        let (step, up) = match (c, d) {
            (c, 0) => (c, false),
            (0, d) => (d, true),
            _ => return None,
        };
        // x + step < x exactly if the sum overflows: if max - step < x.
        let bound = p.constant(w, m - step);
        return Some(if up { p.ule(x, bound) } else { p.ult(bound, x) });
    }
    // The same with an unknown step: decided only if the sum cannot overflow.
    let (sum, x, step) = match (addend(p, a, b), addend(p, b, a)) {
        (Some(step), _) => (a, b, step),
        (_, Some(step)) => (b, a, step),
        _ => return None,
    };
    let (most, step_most) = (p.facts(x).max, p.facts(step).max);
    if most.checked_add(step_most).is_none_or(|v| v > m) {
        return None;
    }
    let zero = p.constant(w, 0);
    match (sum == a, is_strict(op)) {
        // x + y < x
        (true, true) => Some(p.bool(false)),
        // x + y <= x
        (true, false) => Some(p.eq(step, zero)),
        // x < x + y
        (false, true) => Some(p.ne(step, zero)),
        (false, false) => Some(p.bool(true)),
    }
}

/// match: base + c < base + d, where c and d are within the size that an object may have
/// result: c < d, because objects do not wrap around the address space
fn order_in_object(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, c, d) = offsets(p, a, b)?;
    if !matches!(p.kind(x), Kind::Base { .. }) {
        return None;
    }
    let (c, d) = (c as u64 as i64, d as u64 as i64);
    let limit = LOWEST_ADDRESS as i64;
    if !(-limit..=limit).contains(&c) || !(-limit..=limit).contains(&d) {
        return None;
    }
    Some(p.bool(if is_strict(op) { c < d } else { c <= d }))
}

/// match: x & y <= x, x >> y <= x, x / y <= x, (x / c) * c <= x, x % y < y, x <= x | y, and their
///        negations
/// result: 1, 0
fn unsigned_of_parts(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let at_most = |small: Expr, large: Expr| match p.kind(small) {
        Kind::Bin(BinOp::And, x, y) => x == large || y == large,
        Kind::Bin(BinOp::LShr | BinOp::URem, x, _) => x == large,
        Kind::Bin(BinOp::UDiv, x, y) => x == large && p.facts(y).min > 0,
        Kind::Bin(BinOp::Mul, q, y) if p.as_const(y).is_some_and(|c| c > 0) => {
            by_constant(p, BinOp::UDiv, multiword::bare(p, q)).is_some_and(|(x, c)| {
                Some(c) == p.as_const(y) && multiword::bare(p, x) == multiword::bare(p, large)
            })
        }
        _ => match p.kind(large) {
            Kind::Bin(BinOp::Or, x, y) => x == small || y == small,
            _ => false,
        },
    };
    let less = |small: Expr, large: Expr| matches!(p.kind(small), Kind::Bin(BinOp::URem, _, y) if y == large && p.facts(y).min > 0);
    let result = match op {
        BinOp::ULt if less(a, b) => true,
        BinOp::ULt if at_most(b, a) => false,
        BinOp::ULe if at_most(a, b) => true,
        BinOp::ULe if less(b, a) => false,
        _ => return None,
    };
    Some(p.bool(result))
}

/// match: x / c < k, k < x / c with constants c and k
/// result: x < k * c, (k + 1) * c <= x
fn ult_of_quotient(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (q, k, below) = match (p.as_const(a), p.as_const(b)) {
        (None, Some(k)) => (a, k, true),
        (Some(k), None) => (b, k.checked_add(1)?, false),
        _ => return None,
    };
    let (x, c) = by_constant(p, BinOp::UDiv, multiword::bare(p, q))?;
    if c == 0 {
        return None;
    }
    let w = p.width(x);
    let Some(bound) = k.checked_mul(c).filter(|v| *v <= mask(w)) else {
        return Some(p.bool(below));
    };
    let bound = p.constant(w, bound);
    Some(if below {
        p.ult(x, bound)
    } else {
        p.ule(bound, x)
    })
}

/// match: (x * y)[k..] < y, where x has at most k bits and the product is whole
/// result: y != 0
///
/// So generators of random numbers bring one into a range [Lemire 2019].
fn ult_of_high_product(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let of_extension = |p: &Pool, e| match p.kind(e) {
        Kind::ZExt(narrow) => narrow,
        _ => e,
    };
    let high = of_extension(p, a);
    let Kind::Extract { of, lo } = p.kind(high) else {
        return None;
    };
    let Kind::Bin(BinOp::Mul, left, right) = p.kind(of) else {
        return None;
    };
    let bound = of_extension(p, b);
    for (x, y) in [(left, right), (right, left)] {
        let (most, factor) = (p.facts(x).max, of_extension(p, y));
        let is_whole = most.checked_mul(p.facts(y).max).is_some_and(|product| {
            product <= mask(p.width(of)) && product >> lo <= mask(p.width(high))
        });
        if factor == bound && most <= mask(lo) && is_whole {
            let zero = p.constant(p.width(b), 0);
            return Some(p.ne(b, zero));
        }
    }
    None
}

/// match: a < c, c < a, where the range leaves one value on one side
/// result: a == that value, or a != it
fn ult_at_the_edge(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    if let Some(c) = p.as_const(b) {
        let f = p.facts(a);
        // By range, f.min < c <= f.max.
        if c - 1 == f.min {
            let c = p.constant(w, f.min);
            return Some(p.eq(a, c));
        }
        if c == f.max {
            return Some(p.ne(a, b));
        }
        return None;
    }
    let (c, f) = (p.as_const(a)?, p.facts(b));
    if c + 1 == f.max {
        let c = p.constant(w, f.max);
        return Some(p.eq(b, c));
    }
    (c == f.min).then(|| p.ne(b, a))
}

/// match: a < c, c < a, where c lies between the numbers from zero on and those below, read as
///        unsigned: 2^(w-1), or any c that the signed range leaves out
/// result: !a[top], a[top]
fn ult_is_sign(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (w, below) = (p.width(a), p.as_const(b).is_some());
    // The least value of the upper side.
    let (x, c) = if below {
        (a, p.as_const(b)?)
    } else {
        (b, p.as_const(a)?.checked_add(1)?)
    };
    let range = p.signed_range(x);
    if range.min >= 0 || range.max < 0 || c <= range.max as u128 {
        return None;
    }
    if c > range.min as u128 & mask(w) {
        return None;
    }
    let top = p.extract(x, w - 1, 1);
    Some(if below { p.not(top) } else { top })
}

/// match: a <s b, a <=s b, where the signed ranges decide
/// result: 0 or 1
fn signed_by_range(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = (p.signed_range(a), p.signed_range(b));
    if x.max < y.min || !is_strict(op) && x.max == y.min {
        return Some(p.bool(true));
    }
    (x.min > y.max || is_strict(op) && x.min == y.max).then(|| p.bool(false))
}

/// match: a <=s c, c <=s a (c is neither least nor greatest, by range)
/// result: a <s c + 1, c - 1 <s a
fn sle_constant(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    if op != BinOp::SLe {
        return None;
    }
    let w = p.width(a);
    if let Some(c) = p.as_const(b) {
        if c == mask(w) >> 1 {
            return None;
        }
        let next = p.constant(w, c.wrapping_add(1));
        return Some(p.bin(BinOp::SLt, a, next));
    }
    let c = p.as_const(a)?;
    if c == 1 << (w - 1) {
        return None;
    }
    let before = p.constant(w, c.wrapping_sub(1));
    Some(p.bin(BinOp::SLt, before, b))
}

/// match: a <s b, a <=s b, where both are known to have the same sign
/// result: a < b, a <= b
fn signed_as_unsigned(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y, w) = (p.facts(a), p.facts(b), p.width(a));
    let same = x.is_nonnegative(w) && y.is_nonnegative(w) || x.is_negative(w) && y.is_negative(w);
    let unsigned = if is_strict(op) {
        BinOp::ULt
    } else {
        BinOp::ULe
    };
    same.then(|| p.bin(unsigned, a, b))
}

/// match: x + c <s x, x <s x + c: the overflow test of a signed addition
/// result: a comparison of x with a constant
fn signed_overflow(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    let (x, c, d) = offsets(p, a, b)?;
    let (step, up) = match (c, d) {
        (c, 0) => (c, false),
        (0, d) => (d, true),
        _ => return None,
    };
    // The order is strict: the operands are equal only if they are one term. With a positive step,
    // x + step <s x exactly if x >s greatest - step; with a negative one exactly if x >=s least -
    // step.
    let _ = op;
    let negative = step >> (w - 1) & 1 == 1;
    let less = if negative {
        let bound = p.constant(w, (1u128 << (w - 1)).wrapping_sub(step));
        p.bin(BinOp::SLe, bound, x)
    } else {
        let bound = p.constant(w, (mask(w) >> 1).wrapping_sub(step));
        p.bin(BinOp::SLt, bound, x)
    };
    Some(if up { p.not(less) } else { less })
}

/// match: a <s 0, -1 <s a
/// result: a[top], !a[top]
fn slt_is_sign(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    if p.as_const(b) == Some(0) {
        return Some(p.extract(a, w - 1, 1));
    }
    if p.as_const(a)? != mask(w) {
        return None;
    }
    let top = p.extract(b, w - 1, 1);
    Some(p.not(top))
}

/// match: a <s least + 1, a <s greatest, least <s a, greatest - 1 <s a
/// result: a == least, a != greatest, a != least, a == greatest
fn slt_at_the_edge(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    let (least, greatest) = (1u128 << (w - 1), mask(w) >> 1);
    if let Some(c) = p.as_const(b) {
        if c == least.wrapping_add(1) & mask(w) {
            let c = p.constant(w, least);
            return Some(p.eq(a, c));
        }
        return (c == greatest).then(|| p.ne(a, b));
    }
    let c = p.as_const(a)?;
    if c == least {
        return Some(p.ne(b, a));
    }
    if c == greatest - 1 {
        let c = p.constant(w, greatest);
        return Some(p.eq(b, c));
    }
    None
}
