//! Simplification of bitwise operators on terms composed of pieces (concatenations and extensions):
//! where the pieces of both sides align, the result is composed of pieces too. So `zext(a) |
//! zext(b) << 8` becomes one word.

use crate::build::mask;
use crate::node::*;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;
use smallvec::SmallVec;

/// A piece of a term, with its width.
#[derive(Clone, Copy, Debug)]
enum TermPiece {
    Const(u128, Width),
    Term(Expr, Width),
}

impl TermPiece {
    fn width(self) -> Width {
        match self {
            TermPiece::Const(_, w) | TermPiece::Term(_, w) => w,
        }
    }
}

type Pieces = SmallVec<[TermPiece; 8]>;
const MAX_PIECES: usize = 40;

/// Collects the pieces of a term, lowest first.
fn pieces(p: &Pool, e: Expr, out: &mut Pieces) {
    let mut e = e;
    loop {
        match p.kind(e) {
            Kind::Const(v) => return out.push(TermPiece::Const(v, p.width(e))),
            Kind::ZExt(a) => {
                let above = p.width(e) - p.width(a);
                pieces(p, a, out);
                return out.push(TermPiece::Const(0, above));
            }
            // Only the low operand recurs, and a concatenation is never a high operand, nor deep.
            Kind::Concat { hi, lo } if out.len() < MAX_PIECES => {
                match p.kind(lo) {
                    Kind::Concat { .. } | Kind::ZExt(_) => pieces(p, lo, out),
                    Kind::Const(v) => out.push(TermPiece::Const(v, p.width(lo))),
                    _ => out.push(TermPiece::Term(lo, p.width(lo))),
                }
                e = hi;
            }
            _ => return out.push(TermPiece::Term(e, p.width(e))),
        }
    }
}

/// match: a op b for op in & | ^, and + where no bit is one in both, each put together from pieces
///        that either lie exactly opposite each other or opposite a constant, with at most one
///        operator left that is not one of conditions
/// result: the pieces' results put together
pub(super) fn piecewise(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    let composed = |e: Expr| matches!(p.kind(e), Kind::Concat { .. } | Kind::ZExt(_));
    if !composed(a) && !composed(b) {
        return None;
    }
    let (mut x, mut y) = (Pieces::new(), Pieces::new());
    pieces(p, a, &mut x);
    pieces(p, b, &mut y);
    if x.len().max(y.len()) < 2 || x.len() + y.len() > MAX_PIECES * 2 {
        return None;
    }
    x.reverse();
    y.reverse();
    let mut plan: SmallVec<[(TermPiece, Option<TermPiece>); 8]> = SmallVec::new();
    let mut operators = 0;
    while let (Some(s), Some(t)) = (x.pop(), y.pop()) {
        let w = s.width().min(t.width());
        let (s, t) = (cut(s, w, &mut x)?, cut(t, w, &mut y)?);
        let result = match (s, t) {
            (TermPiece::Const(c, _), TermPiece::Const(d, _)) => (
                TermPiece::Const(super::super::number::bin(op, w, c, d), w),
                None,
            ),
            (TermPiece::Const(c, _), term) | (term, TermPiece::Const(c, _)) => match op {
                BinOp::And if c == 0 => (TermPiece::Const(0, w), None),
                BinOp::And if c == mask(w) => (term, None),
                BinOp::Or if c == mask(w) => (TermPiece::Const(c, w), None),
                BinOp::Or | BinOp::Xor | BinOp::Add if c == 0 => (term, None),
                _ => (term, Some(TermPiece::Const(c, w))),
            },
            (s, t) => (s, Some(t)),
        };
        // Conditions, as a comparison of vectors gives them, are combined one by one.
        let pieces = [Some(result.0), result.1];
        let is_free = pieces.into_iter().flatten().any(|piece| match piece {
            TermPiece::Term(e, _) => is_condition(p, e),
            TermPiece::Const(..) => false,
        });
        operators += (result.1.is_some() && !is_free) as u32;
        plan.push(result);
    }
    // The whole as one piece would be the same operator again.
    if operators > 1 || plan.len() < 2 {
        return None;
    }
    let mut whole: Option<Expr> = None;
    for (s, t) in plan {
        let mut piece = term(p, s);
        if let Some(t) = t {
            let t = term(p, t);
            piece = p.bin(op, piece, t);
        }
        whole = Some(match whole {
            Some(below) => p.concat(piece, below),
            None => piece,
        });
    }
    whole
}

/// match: x & (x - 1), where x is put together from single bits
/// result: the bits above the lowest one, put together
pub(super) fn without_lowest_one(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let of = |p: &Pool, x: Expr, less: Expr| {
        let Kind::Bin(BinOp::Add, base, c) = p.kind(less) else {
            return false;
        };
        base == x && p.as_const(c) == Some(mask(p.width(x)))
    };
    let x = [(a, b), (b, a)]
        .into_iter()
        .find(|&(x, less)| of(p, x, less))?
        .0;
    let mut bits = Pieces::new();
    pieces(p, x, &mut bits);
    let is_bit = |bit: &TermPiece| matches!(bit, TermPiece::Term(_, 1) | TermPiece::Const(0, _));
    if bits.len() < 2 || !bits.iter().all(is_bit) {
        return None;
    }
    let (mut some, mut whole) = (p.bool(false), None);
    for bit in bits {
        let mut piece = term(p, bit);
        if let TermPiece::Term(bit, _) = bit {
            piece = p.and(bit, some);
            some = p.or(some, bit);
        }
        whole = Some(match whole {
            Some(below) => p.concat(piece, below),
            None => piece,
        });
    }
    whole
}

/// Reports whether a term is one bit that says something about others, and is none of theirs.
pub(super) fn is_condition(p: &Pool, e: Expr) -> bool {
    p.width(e) == 1
        && match p.kind(e) {
            Kind::Bin(op, ..) => op.is_predicate() || matches!(op, BinOp::And | BinOp::Or),
            Kind::Un(UnOp::Not, of) => is_condition(p, of),
            _ => false,
        }
}

/// Cuts off the low `width` bits of a piece and pushes back the rest. Only constants are cut.
fn cut(piece: TermPiece, width: Width, rest: &mut Pieces) -> Option<TermPiece> {
    if piece.width() == width {
        return Some(piece);
    }
    let TermPiece::Const(v, w) = piece else {
        return None;
    };
    rest.push(TermPiece::Const(v >> width, w - width));
    Some(TermPiece::Const(v & mask(width), width))
}

fn term(p: &mut Pool, piece: TermPiece) -> Expr {
    match piece {
        TermPiece::Const(v, w) => p.constant(w, v),
        TermPiece::Term(e, _) => e,
    }
}
