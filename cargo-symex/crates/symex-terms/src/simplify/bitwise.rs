//! Simplification of complement, and, or, xor of any width, and of counting bits. Rules for one bit
//! are in `boolean`.

use super::boolean::{and_of_intervals, and_of_relations, or_of_intervals, or_of_relations};
use super::lanes::ctz_of_search;
use super::multiword::and_of_zero_limbs;
use super::pieces::without_lowest_one;
use super::sign::signed_sum_in_range;
use super::sum::Sum;
use super::{boolean, pieces, rules};
use crate::build::mask;
use crate::node::*;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;
use smallvec::SmallVec;

pub(super) use super::boolean::of_one_bit;

pub(super) fn not(p: &mut Pool, a: Expr) -> Option<Expr> {
    match p.kind(a) {
        Kind::Un(UnOp::Not, _) => rules!(p, (a): not_not),
        Kind::Bin(BinOp::ULt | BinOp::ULe | BinOp::SLt | BinOp::SLe, ..) => {
            rules!(p, (a): not_of_order)
        }
        Kind::Bin(BinOp::Or, ..) => rules!(p, (a): not_of_disjunction),
        Kind::Bin(BinOp::Add | BinOp::Sub, ..) => rules!(p, (a): not_of_sum),
        Kind::Bin(BinOp::Xor, ..) => rules!(p, (a): not_of_xor_constant),
        Kind::Ite { .. } => rules!(p, (a): not_of_ite),
        Kind::SExt(_) => rules!(p, (a): not_of_sext),
        _ => {}
    }
    None
}

/// match: !!a
/// result: a
fn not_not(p: &mut Pool, a: Expr) -> Option<Expr> {
    let Kind::Un(UnOp::Not, x) = p.kind(a) else {
        return None;
    };
    Some(x)
}

/// match: !(a < b), !(a <= b)
/// result: b <= a, b < a
fn not_of_order(p: &mut Pool, a: Expr) -> Option<Expr> {
    let Kind::Bin(op, x, y) = p.kind(a) else {
        return None;
    };
    let turned = match op {
        BinOp::ULt => BinOp::ULe,
        BinOp::ULe => BinOp::ULt,
        BinOp::SLt => BinOp::SLe,
        _ => BinOp::SLt,
    };
    Some(p.bin(turned, y, x))
}

/// match: !(a | b), of one bit: so that path conditions can take it apart
/// result: !a & !b
fn not_of_disjunction(p: &mut Pool, a: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::Or, x, y) = p.kind(a) else {
        return None;
    };
    if p.width(a) != 1 {
        return None;
    }
    let x = p.not(x);
    let y = p.not(y);
    Some(p.and(x, y))
}

/// match: !(x + c), !(c - x)
/// result: ~c - x, x + ~c
fn not_of_sum(p: &mut Pool, a: Expr) -> Option<Expr> {
    let w = p.width(a);
    match p.kind(a) {
        Kind::Bin(BinOp::Add, x, c) => {
            let c = p.as_const(c)?;
            let c = p.constant(w, !c);
            Some(p.sub(c, x))
        }
        Kind::Bin(BinOp::Sub, c, x) => {
            let c = p.as_const(c)?;
            let c = p.constant(w, !c);
            Some(p.add(x, c))
        }
        _ => None,
    }
}

/// match: !(x ^ c)
/// result: x ^ ~c
fn not_of_xor_constant(p: &mut Pool, a: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::Xor, x, c) = p.kind(a) else {
        return None;
    };
    let c = p.as_const(c)?;
    let c = p.constant(p.width(a), !c);
    Some(p.bin(BinOp::Xor, x, c))
}

/// match: !(c ? a : b), where the complement of a or b is a constant
/// result: c ? !a : !b, where both complements cost nothing
fn not_of_ite(p: &mut Pool, a: Expr) -> Option<Expr> {
    let Kind::Ite { cond, then, other } = p.kind(a) else {
        return None;
    };
    let free = |e: Expr| matches!(p.kind(e), Kind::Const(_) | Kind::Un(UnOp::Not, _));
    if !free(then) || !free(other) {
        return None;
    }
    let then = p.not(then);
    let other = p.not(other);
    Some(p.ite(cond, then, other))
}

/// match: !(sext a)
/// result: sext !a
fn not_of_sext(p: &mut Pool, a: Expr) -> Option<Expr> {
    let Kind::SExt(x) = p.kind(a) else {
        return None;
    };
    let w = p.width(a);
    let x = p.not(x);
    Some(p.sext(x, w))
}

pub(super) fn and(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (a, b): bitwise_self);
    if p.as_const(b).is_some() {
        rules!(p, (a, b): and_identity, and_of_masked, and_align_down, and_of_address);
    }
    rules!(p, (a, b): without_lowest_one, and_of_zext);
    rules!(p, (BinOp::And, a, b): bitwise_of_extensions, bitwise_of_pieces);
    if p.as_const(b).is_some() {
        rules!(p, (a, b): and_mask_is_slice);
    }
    if p.width(a) == 1 {
        rules!(p, (a, b): and_of_intervals, and_of_relations, and_of_zero_limbs, signed_sum_in_range);
    }
    rules!(p, (BinOp::And, a, b): absorption, chain, bitwise_of_constant_ite);
    None
}

pub(super) fn or(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (a, b): bitwise_self);
    if p.as_const(b).is_some() {
        rules!(p, (a, b): or_identity, or_of_masked);
    }
    rules!(p, (BinOp::Or, a, b): bits_of_address, bitwise_of_extensions, bitwise_of_pieces, nots_together);
    if p.width(a) == 1 {
        rules!(p, (a, b): or_of_intervals, or_of_relations);
    }
    rules!(p, (BinOp::Or, a, b): absorption, chain, bitwise_of_constant_ite);
    None
}

pub(super) fn xor(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    rules!(p, (a, b): xor_self, xor_constant, xor_of_not);
    rules!(p, (BinOp::Xor, a, b): bits_of_address, bitwise_of_extensions, bitwise_of_pieces);
    rules!(p, (BinOp::Xor, a, b): chain, bitwise_of_constant_ite);
    None
}

/// match: a & a, a | a
/// result: a
fn bitwise_self(_: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    (a == b).then_some(a)
}

/// match: a & c, where c has every bit that a may have
/// result: a
fn and_identity(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (c, m) = (p.as_const(b)?, mask(p.width(a)));
    (p.facts(a).zero | c == m).then_some(a)
}

/// match: (x & c) & d, (x | c) & d and (x ^ c) & d where c & d is 0
/// result: x & (c & d), x & d
fn and_of_masked(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Bin(op @ (BinOp::And | BinOp::Or | BinOp::Xor), x, c) = p.kind(a) else {
        return None;
    };
    let (c, d) = (p.as_const(c)?, p.as_const(b)?);
    match op {
        BinOp::And => {
            let both = p.constant(p.width(a), c & d);
            Some(p.and(x, both))
        }
        _ => (c & d == 0).then(|| p.and(x, b)),
    }
}

/// Returns the bits that a mask of this width clears, if these are low bits only.
fn low_bits_cleared(d: u128, w: Width) -> Option<u128> {
    let cleared = !d & mask(w);
    (cleared & cleared.wrapping_add(1) == 0).then_some(cleared)
}

/// match: (x + c) & d, where d clears low bits only and x has none of them
/// result: x + (c & d)
fn and_align_down(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Bin(BinOp::Add, x, c) = p.kind(a) else {
        return None;
    };
    let (c, d, w) = (p.as_const(c)?, p.as_const(b)?, p.width(a));
    let cleared = low_bits_cleared(d, w)?;
    if p.facts(x).zero & cleared != cleared {
        return None;
    }
    let c = p.constant(w, c & d);
    Some(p.add(x, c))
}

/// match: (base + x) & d, where d clears low bits only and the address has none of them
/// result: base + (x & d)
fn and_of_address(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    if !p.has_base(a) {
        return None;
    }
    let (d, w) = (p.as_const(b)?, p.width(a));
    let cleared = low_bits_cleared(d, w)?;
    let sum = Sum::of(p, a)?;
    let is_aligned = |p: &Pool, e: Expr| {
        matches!(p.kind(e), Kind::Base { .. }) && p.facts(e).zero & cleared == cleared
    };
    let base = sum
        .terms
        .iter()
        .find(|(e, k)| *k == 1 && is_aligned(p, *e))?
        .0;
    let rest = p.sub(a, base);
    let rest = p.and(rest, b);
    Some(p.add(base, rest))
}

/// match: zext a & b
/// result: zext (a & b[0..])
fn and_of_zext(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = match (p.kind(a), p.kind(b)) {
        (Kind::ZExt(x), Kind::ZExt(y)) if p.width(y) < p.width(x) => (y, a),
        (Kind::ZExt(x), _) => (x, b),
        (_, Kind::ZExt(y)) => (y, a),
        _ => return None,
    };
    let w = p.width(a);
    let y = p.extract(y, 0, p.width(x));
    let both = p.and(x, y);
    Some(p.zext(both, w))
}

/// match: a & c, where the ones of c are one run
/// result: 0 ++ the slice of a ++ 0
fn and_mask_is_slice(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (c, w) = (p.as_const(b)?, p.width(a));
    let low = c.trailing_zeros();
    let run = c.checked_shr(low)?;
    // The cleared low bits of an address leave it an address of its object.
    if run & run.wrapping_add(1) != 0 || low > 0 && p.has_base(a) {
        return None;
    }
    let length = run.trailing_ones();
    let mut slice = p.extract(a, low, length);
    if low > 0 {
        let zeros = p.constant(low, 0);
        slice = p.concat(slice, zeros);
    }
    Some(p.zext(slice, w))
}

/// match: a | c, where all bits of c are ones of a, or all other bits are
/// result: a, the constant
fn or_identity(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let c = p.as_const(b)?;
    (p.facts(a).one & c == c).then_some(a)
}

/// match: (x | c) | d, (x & c) | d where c | d is all ones
/// result: x | (c | d), x | d
fn or_of_masked(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Bin(op @ (BinOp::And | BinOp::Or), x, c) = p.kind(a) else {
        return None;
    };
    let (c, d, w) = (p.as_const(c)?, p.as_const(b)?, p.width(a));
    match op {
        BinOp::Or => {
            let both = p.constant(w, c | d);
            Some(p.or(x, both))
        }
        _ => (c | d == mask(w)).then(|| p.or(x, b)),
    }
}

/// match: a op b for op in | ^, where one depends on an address and has none of the bits of the
/// other
/// result: a + b
fn bits_of_address(p: &mut Pool, _op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let all = mask(p.width(a));
    let is_apart = p.facts(a).zero | p.facts(b).zero == all;
    (is_apart && p.has_base(a) != p.has_base(b)).then(|| p.add(a, b))
}

/// match: zext a op zext b, sext a op sext b from one width, and either with a constant that fits
/// result: zext (a op b), sext (a op b)
fn bitwise_of_extensions(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    match (p.kind(a), p.kind(b)) {
        (Kind::ZExt(x), Kind::ZExt(y)) => {
            let inner = p.width(x).max(p.width(y));
            let x = p.zext(x, inner);
            let y = p.zext(y, inner);
            let both = p.bin(op, x, y);
            Some(p.zext(both, w))
        }
        (Kind::ZExt(x), Kind::Const(c)) if c <= mask(p.width(x)) => {
            let y = p.constant(p.width(x), c);
            let both = p.bin(op, x, y);
            Some(p.zext(both, w))
        }
        (Kind::SExt(x), Kind::SExt(y)) if p.width(x) == p.width(y) => {
            let both = p.bin(op, x, y);
            Some(p.sext(both, w))
        }
        (Kind::SExt(x), Kind::Const(c)) => {
            let y = p.constant(p.width(x), c);
            if p.sext(y, w) != b {
                return None;
            }
            let both = p.bin(op, x, y);
            Some(p.sext(both, w))
        }
        _ => None,
    }
}

/// match: a op b, put together from pieces (see `pieces`)
/// result: the pieces' results put together
fn bitwise_of_pieces(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    pieces::piecewise(p, op, a, b)
}

/// match: !a | !b
/// result: !(a & b)
fn nots_together(p: &mut Pool, _op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let (Kind::Un(UnOp::Not, x), Kind::Un(UnOp::Not, y)) = (p.kind(a), p.kind(b)) else {
        return None;
    };
    let both = p.and(x, y);
    Some(p.not(both))
}

/// match: (c ? k : l) op d with constants k, l and d
/// result: c ? k op d : l op d
fn bitwise_of_constant_ite(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let Kind::Ite { cond, then, other } = p.kind(a) else {
        return None;
    };
    if p.as_const(b).is_none() || p.as_const(then).is_none() || p.as_const(other).is_none() {
        return None;
    }
    let then = p.bin(op, then, b);
    let other = p.bin(op, other, b);
    Some(p.ite(cond, then, other))
}

/// match: a & (a | b), a & (!a | b), a & !(a & b), and with & and | exchanged
/// result: a, a & b, a & !b
fn absorption(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let dual = if op == BinOp::And {
        BinOp::Or
    } else {
        BinOp::And
    };
    for (x, y) in [(a, b), (b, a)] {
        match p.kind(y) {
            Kind::Bin(inner, l, r) if inner == dual => {
                for (l, r) in [(l, r), (r, l)] {
                    if l == x {
                        return Some(x);
                    }
                    if boolean::are_complements(p, l, x) {
                        return Some(p.bin(op, x, r));
                    }
                }
            }
            Kind::Un(UnOp::Not, inner) => {
                let Kind::Bin(inner, l, r) = p.kind(inner) else {
                    continue;
                };
                for (l, r) in [(l, r), (r, l)] {
                    if inner == op && l == x {
                        let r = p.not(r);
                        return Some(p.bin(op, x, r));
                    }
                    if inner == op && boolean::are_complements(p, l, x) {
                        // x & !(!x & r) is x.
                        return Some(x);
                    }
                }
            }
            _ => {}
        }
    }
    None
}

/// match: a ^ a
/// result: 0
fn xor_self(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let w = p.width(a);
    (a == b).then(|| p.constant(w, 0))
}

/// match: a ^ 0, a ^ -1
/// result: a, !a
fn xor_constant(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (c, w) = (p.as_const(b)?, p.width(a));
    match c {
        0 => Some(a),
        _ if c == mask(w) => Some(p.not(a)),
        _ => None,
    }
}

/// match: !a ^ b
/// result: !(a ^ b)
fn xor_of_not(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = match (p.kind(a), p.kind(b)) {
        (Kind::Un(UnOp::Not, x), _) => (x, b),
        (_, Kind::Un(UnOp::Not, y)) => (a, y),
        _ => return None,
    };
    let both = p.bin(BinOp::Xor, x, y);
    Some(p.not(both))
}

/// Greatest length of a chain that is normalised. Longer chains are left as they are.
const MAX_CHAIN: usize = 10;

/// match: a chain of one operator, where one side is a chain already
/// result: without repetitions (pairs, for ^), 0 or -1 if it holds a term and its complement,
///         sorted by handle, with one constant at the end
fn chain(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let of = |e: Expr| match p.kind(e) {
        Kind::Bin(o, l, r) if o == op => Some((l, r)),
        _ => None,
    };
    let mut leaves: SmallVec<[Expr; 12]> = SmallVec::new();
    if of(a).is_none() && of(b).is_none() {
        leaves.extend([a, b]);
        if !boolean::are_complements(p, a, b) {
            return None;
        }
    } else {
        let mut stack: SmallVec<[Expr; 12]> = SmallVec::from_slice(&[a, b]);
        while let Some(e) = stack.pop() {
            match of(e) {
                Some((l, r)) => stack.extend([l, r]),
                None => leaves.push(e),
            }
            if leaves.len() + stack.len() > MAX_CHAIN {
                return None;
            }
        }
    }
    let w = p.width(a);
    let m = mask(w);
    let mut constant = if op == BinOp::And { m } else { 0 };
    leaves.retain(|e| match p.as_const(*e) {
        Some(c) => {
            match op {
                BinOp::And => constant &= c,
                BinOp::Or => constant |= c,
                _ => constant ^= c,
            }
            false
        }
        None => true,
    });
    leaves.sort_unstable();
    if op == BinOp::Xor {
        let mut at = 0;
        while at + 1 < leaves.len() {
            if leaves[at] == leaves[at + 1] {
                leaves.drain(at..at + 2);
            } else {
                at += 1;
            }
        }
    } else {
        leaves.dedup();
        for i in 0..leaves.len() {
            for j in i + 1..leaves.len() {
                if boolean::are_complements(p, leaves[i], leaves[j]) {
                    return Some(p.constant(w, if op == BinOp::And { 0 } else { m }));
                }
            }
        }
    }
    let mut leaves = leaves.into_iter();
    let Some(mut whole) = leaves.next() else {
        return Some(p.constant(w, constant));
    };
    for e in leaves {
        whole = p.intern(Kind::Bin(op, whole, e), w);
    }
    let neutral = if op == BinOp::And { m } else { 0 };
    Some(match op {
        _ if constant == neutral => whole,
        BinOp::And if constant == 0 => p.constant(w, 0),
        BinOp::Or if constant == m => p.constant(w, m),
        BinOp::Xor if constant == m => p.not(whole),
        _ => {
            let c = p.constant(w, constant);
            p.intern(Kind::Bin(op, whole, c), w)
        }
    })
}

pub(super) fn count(p: &mut Pool, op: UnOp, a: Expr) -> Option<Expr> {
    rules!(p, (op, a): count_of_one_bit, count_of_zext, ctz_of_shifted, ctz_of_search);
    None
}

/// match: popcount a, clz a, ctz a of one bit
/// result: a, !a, !a
fn count_of_one_bit(p: &mut Pool, op: UnOp, a: Expr) -> Option<Expr> {
    if p.width(a) != 1 {
        return None;
    }
    Some(if op == UnOp::Popcount { a } else { p.not(a) })
}

/// match: popcount (zext a), clz (zext a)
/// result: zext (popcount a), zext (clz a) + the bits above a
fn count_of_zext(p: &mut Pool, op: UnOp, a: Expr) -> Option<Expr> {
    let Kind::ZExt(x) = p.kind(a) else {
        return None;
    };
    let w = p.width(a);
    if op == UnOp::Ctz {
        return None;
    }
    let above = w - p.width(x);
    let inner = p.un(op, x);
    let count = p.zext(inner, w);
    if op == UnOp::Popcount {
        return Some(count);
    }
    let above = p.constant(w, above as u128);
    Some(p.add(count, above))
}

/// match: ctz a, where a bit is known to be one below which the unknown bits end
/// result: ctz of the low bits, which are not all zero, as a constant where the lowest one is known
fn ctz_of_shifted(p: &mut Pool, op: UnOp, a: Expr) -> Option<Expr> {
    if op != UnOp::Ctz {
        return None;
    }
    let (f, w) = (p.facts(a), p.width(a));
    let zeros = f.trailing_zeros();
    (zeros < w && f.one >> zeros & 1 == 1).then(|| p.constant(w, zeros as u128))
}
