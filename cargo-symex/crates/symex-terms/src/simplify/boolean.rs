//! Simplification of terms of one bit: truth values. Arithmetic on one bit is logic. Comparisons of
//! one term with constants are intervals, which can contain or exclude each other, and comparisons
//! of the same two terms are sets of the ways in which two numbers can be ordered.

use crate::build::mask;
use crate::node::*;
use crate::op::{BinOp, UnOp};
use crate::pool::Pool;

/// match: any operator on operands of one bit but & | ^
/// result: the formula
pub(super) fn of_one_bit(p: &mut Pool, op: BinOp, a: Expr, b: Expr) -> Option<Expr> {
    use BinOp::*;
    Some(match op {
        Add | Sub => p.bin(Xor, a, b),
        Mul | SMulO => p.and(a, b),
        UMulO => p.bool(false),
        UDiv | SDiv | SLe => {
            let nb = p.not(b);
            p.or(a, nb)
        }
        URem | SRem | Shl | LShr | SLt => {
            let nb = p.not(b);
            p.and(a, nb)
        }
        AShr => a,
        Eq => {
            let differ = p.bin(Xor, a, b);
            p.not(differ)
        }
        ULt => {
            let na = p.not(a);
            p.and(na, b)
        }
        ULe => {
            let na = p.not(a);
            p.or(na, b)
        }
        _ => return None,
    })
}

/// Reports whether each is the complement of the other, by their form.
pub(super) fn are_complements(p: &Pool, a: Expr, b: Expr) -> bool {
    match (p.kind(a), p.kind(b)) {
        (Kind::Un(UnOp::Not, x), _) if x == b => true,
        (_, Kind::Un(UnOp::Not, y)) if y == a => true,
        (Kind::Bin(op, l, r), Kind::Bin(turned, x, y)) => match (op, turned) {
            (BinOp::ULt, BinOp::ULe)
            | (BinOp::ULe, BinOp::ULt)
            | (BinOp::SLt, BinOp::SLe)
            | (BinOp::SLe, BinOp::SLt) => (l, r) == (y, x),
            // x < c + 1 and c < x.
            (BinOp::ULt, BinOp::ULt) | (BinOp::SLt, BinOp::SLt) => {
                let next = |c: Option<u128>, d: Option<u128>| match (c, d) {
                    (Some(c), Some(d)) => c.checked_add(1) == Some(d),
                    _ => false,
                };
                l == y && next(p.as_const(x), p.as_const(r))
                    || r == x && next(p.as_const(l), p.as_const(y))
            }
            _ => false,
        },
        _ => false,
    }
}

/// A set of values of a term: a range, or the complement of a range.
#[derive(Clone, Copy)]
struct ValueInterval {
    of: Expr,
    low: u128,
    high: u128,
    inside: bool,
}

/// Reads `x < c`, `c < x`, `x == c` or `x != c`, unsigned, as an interval of `x`.
fn interval(p: &Pool, e: Expr) -> Option<ValueInterval> {
    let (inside, e) = match p.kind(e) {
        Kind::Un(UnOp::Not, x) => (false, x),
        _ => (true, e),
    };
    let Kind::Bin(op, a, b) = p.kind(e) else {
        return None;
    };
    let (of, low, high) = match (op, p.as_const(a), p.as_const(b)) {
        (BinOp::Eq, _, Some(c)) => (a, c, c),
        (BinOp::ULt, None, Some(c)) => (a, 0, c.checked_sub(1)?),
        (BinOp::ULt, Some(c), None) => (b, c.checked_add(1)?, mask(p.width(b))),
        _ => return None,
    };
    (low <= high).then_some(ValueInterval {
        of,
        low,
        high,
        inside,
    })
}

impl ValueInterval {
    fn complement(self) -> ValueInterval {
        ValueInterval {
            inside: !self.inside,
            ..self
        }
    }

    /// Reports whether `self` is a subset of `other`.
    fn is_within(self, other: ValueInterval, max: u128) -> bool {
        match (self.inside, other.inside) {
            (true, true) => other.low <= self.low && self.high <= other.high,
            (true, false) => self.high < other.low || other.high < self.low,
            (false, false) => self.low <= other.low && other.high <= self.high,
            (false, true) => {
                // The two rests below and above.
                (self.low == 0 || other.low == 0 && self.low - 1 <= other.high)
                    && (self.high == max || other.high == max && other.low <= self.high + 1)
            }
        }
    }
}

fn intervals(p: &Pool, a: Expr, b: Expr) -> Option<(ValueInterval, ValueInterval, u128)> {
    let (x, y) = (interval(p, a)?, interval(p, b)?);
    (x.of == y.of).then(|| (x, y, mask(p.width(x.of))))
}

/// match: a & b, comparisons of one term with constants
/// result: 0, or the narrower one, or the equality that is left
pub(super) fn and_of_intervals(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y, max) = intervals(p, a, b)?;
    if x.is_within(y.complement(), max) {
        return Some(p.bool(false));
    }
    if x.is_within(y, max) {
        return Some(a);
    }
    if y.is_within(x, max) {
        return Some(b);
    }
    if x.inside && y.inside {
        let (low, high) = (x.low.max(y.low), x.high.min(y.high));
        if low == high {
            let c = p.constant(p.width(x.of), low);
            return Some(p.eq(x.of, c));
        }
    }
    None
}

/// match: a | b, comparisons of one term with constants
/// result: 1, or the wider one
pub(super) fn or_of_intervals(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y, max) = intervals(p, a, b)?;
    if x.complement().is_within(y, max) {
        return Some(p.bool(true));
    }
    if x.is_within(y, max) {
        return Some(b);
    }
    if y.is_within(x, max) {
        return Some(a);
    }
    None
}

/// Orders of two numbers, as sets.
const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const UNEQUAL: u8 = LESS | GREATER;
const ALL: u8 = LESS | EQUAL | GREATER;

/// A comparison of two terms, the older one first.
#[derive(Clone, Copy)]
struct Relation {
    of: (Expr, Expr),
    /// Whether the terms are compared as signed numbers; `None` if that is all one.
    signed: Option<bool>,
    /// Orders of the two for which it holds.
    holds: u8,
}

impl Relation {
    fn read(p: &Pool, e: Expr) -> Option<Relation> {
        let (negated, e) = match p.kind(e) {
            Kind::Un(UnOp::Not, x) => (true, x),
            _ => (false, e),
        };
        let Kind::Bin(op, a, b) = p.kind(e) else {
            return None;
        };
        let (signed, less, equal) = match op {
            BinOp::Eq => (None, 0, EQUAL),
            BinOp::ULt => (Some(false), LESS, 0),
            BinOp::ULe => (Some(false), LESS, EQUAL),
            BinOp::SLt => (Some(true), LESS, 0),
            BinOp::SLe => (Some(true), LESS, EQUAL),
            _ => return None,
        };
        let (of, less) = match a <= b {
            true => ((a, b), less),
            false => ((b, a), less * GREATER),
        };
        let holds = (less | equal) ^ if negated { ALL } else { 0 };
        Some(Relation { of, signed, holds })
    }

    /// Returns the comparison of the terms of two that holds for some orders.
    fn term(self, other: Relation, holds: u8, p: &mut Pool) -> Expr {
        let (a, b) = match holds & GREATER {
            0 => self.of,
            _ => (self.of.1, self.of.0),
        };
        let is_signed = self.signed.or(other.signed) == Some(true);
        match holds {
            0 => p.bool(false),
            ALL => p.bool(true),
            EQUAL => p.eq(a, b),
            UNEQUAL => {
                let same = p.eq(a, b);
                p.not(same)
            }
            LESS | GREATER if is_signed => p.bin(BinOp::SLt, a, b),
            LESS | GREATER => p.ult(a, b),
            _ if is_signed => p.bin(BinOp::SLe, a, b),
            _ => p.ule(a, b),
        }
    }
}

/// Reads two comparisons of the same two terms.
fn relations(p: &Pool, a: Expr, b: Expr) -> Option<(Relation, Relation)> {
    let (x, y) = (Relation::read(p, a)?, Relation::read(p, b)?);
    let alike = x.signed.is_none() || y.signed.is_none() || x.signed == y.signed;
    (x.of == y.of && alike).then_some((x, y))
}

/// match: a & b, comparisons of the same two terms
/// result: the comparison that holds where both do
pub(super) fn and_of_relations(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = relations(p, a, b)?;
    Some(x.term(y, x.holds & y.holds, p))
}

/// match: a | b, comparisons of the same two terms
/// result: the comparison that holds where one of them does
pub(super) fn or_of_relations(p: &mut Pool, a: Expr, b: Expr) -> Option<Expr> {
    let (x, y) = relations(p, a, b)?;
    Some(x.term(y, x.holds | y.holds, p))
}
