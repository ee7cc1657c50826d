//! Searches for a byte in a word at once: "SWAR", as `memchr` and parsers have it.
//!
//! For `n` up to 128 in each byte of a word, `(x - n…n) & !x & 0x80…80` has the top bit of those
//! bytes that are less than `n`; with `x ^ c…c` for `x` and 1 for `n`, of those that are `c`. A
//! byte above one that is, may be taken for one, too, because of the borrow. So only whether there
//! is one, and which is the first, is right, and that is all that such code asks.

use crate::build::mask;
use crate::node::*;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;
use smallvec::{SmallVec, smallvec};

/// Bits of a byte.
const BYTE: Width = 8;

/// The least byte that has its top bit.
const TOP: u128 = 0x80;

/// Most operands of a disjunction of searches.
const MOST: usize = 16;

/// The conditions of each byte, lowest byte first.
type Lanes = SmallVec<[Expr; 8]>;

/// match: m == 0, where m is the mask of a search
/// result: no byte is searched for
pub(super) fn eq_search_zero(p: &mut Pool, m: Expr, zero: Expr) -> Option<Expr> {
    if p.as_const(zero)? != 0 {
        return None;
    }
    let (lanes, is_search) = lanes(p, m)?;
    if !is_search {
        return None;
    }
    let mut none = p.bool(true);
    for found in lanes {
        let other = p.not(found);
        none = p.and(none, other);
    }
    Some(none)
}

/// match: ctz m, where m is the mask of a search, or of the top bits of bytes
/// result: the place of the first, by the conditions of the bytes
pub(super) fn ctz_of_search(p: &mut Pool, op: UnOp, m: Expr) -> Option<Expr> {
    if op != UnOp::Ctz {
        return None;
    }
    let w = p.width(m);
    let (lanes, _) = lanes(p, m)?;
    let mut first = p.constant(w, w.into());
    for (number, found) in lanes.into_iter().enumerate().rev() {
        let place = p.constant(w, number as u128 * u128::from(BYTE) + 7);
        first = p.ite(found, place, first);
    }
    Some(first)
}

/// Returns the repetition of a byte in a word.
fn repeated(w: Width, byte: u128) -> u128 {
    mask(w) / 0xff * byte
}

/// Returns the conditions of the bytes of a mask, where each is right if none holds of a lower
/// byte, and whether there is more than top bits.
fn lanes(p: &mut Pool, m: Expr) -> Option<(Lanes, bool)> {
    let w = p.width(m);
    if !w.is_multiple_of(BYTE) || w <= BYTE {
        return None;
    }
    let Kind::Bin(BinOp::And, of, tops) = p.kind(m) else {
        return None;
    };
    if p.as_const(tops)? != repeated(w, TOP) {
        return None;
    }
    let mut lanes: Lanes = smallvec![p.bool(false); (w / BYTE) as usize];
    let (mut operands, mut seen, mut is_search) = (vec![of], 0, false);
    while let Some(operand) = operands.pop() {
        if let Kind::Bin(BinOp::Or, a, b) = p.kind(operand) {
            operands.extend([a, b]);
            continue;
        }
        seen += 1;
        if seen > MOST {
            return None;
        }
        let search = search(p, operand);
        is_search |= search.is_some();
        for (number, lane) in lanes.iter_mut().enumerate() {
            let lowest = number as Width * BYTE;
            let found = match search {
                Some((x, n)) => {
                    let byte = p.extract(x, lowest, BYTE);
                    let n = p.constant(BYTE, n);
                    p.ult(byte, n)
                }
                None => p.extract(operand, lowest + BYTE - 1, 1),
            };
            *lane = p.or(*lane, found);
        }
    }
    Some((lanes, is_search))
}

/// Returns `x` and `n` of `(x - n…n) & !x`.
fn search(p: &mut Pool, operand: Expr) -> Option<(Expr, u128)> {
    let w = p.width(operand);
    let Kind::Bin(BinOp::And, a, b) = p.kind(operand) else {
        return None;
    };
    [(a, b), (b, a)].into_iter().find_map(|(sum, other)| {
        let Kind::Bin(BinOp::Add, x, c) = p.kind(sum) else {
            return None;
        };
        let c = p.as_const(c)?.wrapping_neg() & mask(w);
        let n = c & mask(BYTE);
        let is_one = (1..=TOP).contains(&n) && c == repeated(w, n) && p.not(x) == other;
        is_one.then_some((x, n))
    })
}
