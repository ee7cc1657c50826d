//! Uses of an input in conditions: as a number that is divided, compared, or used otherwise.

use crate::stage::visit::visit_terms;
use std::sync::Arc;
use symex_terms::{BinOp, Expr, Kind, Pool, Symbol, Var, Width};

/// Width of the widest input and term that are read as numbers.
const MAX_WIDTH: Width = 64;

/// A term whose value is that of an input, plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shifted {
    pub var: Var,
    /// Whether the input, and the sum, are signed numbers.
    pub signed: bool,
    pub offset: i128,
}

/// What a term is computed from a quotient or remainder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// Quotient, rounded towards zero.
    Quotient,
    /// Remainder, of the dividend's sign.
    Remainder,
    /// Whether the remainder is negative.
    IsNegative,
    /// Quotient, rounded down.
    Floor,
    /// Remainder that is not negative.
    Modulo,
    /// Remainder that is not negative, divided by this: a digit.
    Digit(u128),
}

/// A use of an input in a condition.
#[derive(Clone, Copy, Debug)]
pub enum Use {
    /// Division by a constant that is not 0, nor negative if the number is signed.
    Division { of: Shifted, by: u128, part: Part },
    /// Whether the number is at most a constant.
    AtMost(Shifted, i128),
    /// Whether the number is greater than a constant.
    Above(Shifted, i128),
    /// Whether the number is a constant.
    Equals(Shifted, i128),
    /// The number itself.
    Number(Shifted),
}

impl Use {
    pub fn of(&self) -> Shifted {
        match self {
            Use::Division { of, .. } => *of,
            Use::AtMost(of, _) | Use::Above(of, _) | Use::Equals(of, _) => *of,
            Use::Number(of) => *of,
        }
    }
}

/// Uses of all inputs in one condition, each with its term.
pub struct Uses {
    pub all: Vec<(Expr, Use)>,
    /// Whether some number is divided.
    pub divides: bool,
}

impl Uses {
    /// Finds the uses in a condition; none if it is too large.
    pub fn of(pool: &Pool, condition: Expr) -> Arc<Uses> {
        let mut all = Vec::new();
        let walked = visit_terms(pool, &[condition], |e| {
            let used = use_in(pool, e);
            all.extend(used.map(|used| (e, used)));
            used.is_none()
        });
        if walked.is_none() {
            all.clear();
        }
        let divides = all.iter().any(|u| matches!(u.1, Use::Division { .. }));
        Arc::new(Uses { all, divides })
    }
}

/// Reads a term as a use of an input.
fn use_in(pool: &Pool, e: Expr) -> Option<Use> {
    let of_one_input = matches!(pool.support(e), [Symbol::Var(_)]);
    if let Some(digit) = digit(pool, e).filter(|_| of_one_input) {
        return Some(digit);
    }
    let part = divided(pool, e).filter(|_| of_one_input);
    if let Some((division, part)) = part {
        let Kind::Bin(op, a, c) = pool.kind(division) else {
            return None;
        };
        let signed = matches!(op, BinOp::SDiv | BinOp::SRem);
        let of = shifted(pool, a, signed)?;
        let by = pool.as_const(c)?;
        return Some(Use::Division { of, by, part });
    }
    if let Some(of) = shifted(pool, e, false).or_else(|| shifted(pool, e, true)) {
        return Some(Use::Number(of));
    }
    compared(pool, e)
}

/// Reads a term as the remainder of a quotient.
fn digit(pool: &Pool, e: Expr) -> Option<Use> {
    let Kind::Bin(BinOp::URem, a, c) = pool.kind(e) else {
        return None;
    };
    let (x, unit) = pool.as_quotient(a)?;
    let by = pool.as_const(c)?.checked_mul(unit)?;
    let of = shifted(pool, x, false)?;
    let part = Part::Digit(unit);
    (by > 0).then_some(Use::Division { of, by, part })
}

/// Reads a term as a part of a division by a constant: returns the quotient or remainder, and what
/// is taken of it.
fn divided(pool: &Pool, e: Expr) -> Option<(Expr, Part)> {
    match pool.kind(e) {
        Kind::Bin(op, _, c) => {
            let c = pool.as_const(c)?;
            let positive = c > 0 && c >> (pool.width(e) - 1) == 0;
            match op {
                BinOp::UDiv if c > 0 => Some((e, Part::Quotient)),
                BinOp::URem if c > 0 => Some((e, Part::Remainder)),
                BinOp::SDiv if positive => Some((e, Part::Quotient)),
                BinOp::SRem if positive => Some((e, Part::Remainder)),
                _ => None,
            }
        }
        Kind::Extract { of, .. } => {
            let remainder = remainder_that_is_negative(pool, e)?;
            (remainder == of).then_some((of, Part::IsNegative))
        }
        Kind::Ite { cond, then, other } => {
            let remainder = remainder_that_is_negative(pool, cond)?;
            let Kind::Bin(_, a, c) = pool.kind(remainder) else {
                return None;
            };
            let Kind::Bin(BinOp::Add, changed, by) = pool.kind(then) else {
                return None;
            };
            if changed != other {
                return None;
            }
            let minus_one = symex_terms::mask(pool.width(by));
            match pool.kind(other) {
                _ if other == remainder => (by == c).then_some((remainder, Part::Modulo)),
                Kind::Bin(BinOp::SDiv, b, d) => {
                    let floor = (a, c) == (b, d) && pool.as_const(by) == Some(minus_one);
                    floor.then_some((remainder, Part::Floor))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns the signed remainder by a constant of which a term is the sign.
fn remainder_that_is_negative(pool: &Pool, e: Expr) -> Option<Expr> {
    let Kind::Extract { of, lo } = pool.kind(e) else {
        return None;
    };
    let is_sign = pool.width(e) == 1 && lo + 1 == pool.width(of);
    let Kind::Bin(BinOp::SRem, ..) = pool.kind(of) else {
        return None;
    };
    (is_sign && divided(pool, of).is_some()).then_some(of)
}

/// Reads a comparison of a number with a constant.
fn compared(pool: &Pool, e: Expr) -> Option<Use> {
    let (op, a, b) = match pool.kind(e) {
        Kind::Bin(op, a, b) => (op, a, b),
        // The sign.
        Kind::Extract { of, lo } if pool.width(e) == 1 && lo + 1 == pool.width(of) => {
            return Some(Use::AtMost(shifted(pool, of, true)?, -1));
        }
        _ => return None,
    };
    let signed = matches!(op, BinOp::SLt | BinOp::SLe);
    let (number, c, left) = match (pool.as_const(a), pool.as_const(b)) {
        (None, Some(c)) => (a, c, true),
        (Some(c), None) => (b, c, false),
        _ => return None,
    };
    if pool.width(number) > MAX_WIDTH {
        return None;
    }
    let signed = signed || op == BinOp::Eq && shifted(pool, number, false).is_none();
    let of = shifted(pool, number, signed)?;
    let c = number_of(pool.width(number), c, signed);
    Some(match (op, left) {
        (BinOp::Eq, _) => Use::Equals(of, c),
        (BinOp::ULt | BinOp::SLt, true) => Use::AtMost(of, c - 1),
        (BinOp::ULe | BinOp::SLe, true) => Use::AtMost(of, c),
        (BinOp::ULt | BinOp::SLt, false) => Use::Above(of, c),
        (BinOp::ULe | BinOp::SLe, false) => Use::Above(of, c - 1),
        _ => return None,
    })
}

/// Reads a term as an input plus a constant, as signed or unsigned numbers.
fn shifted(pool: &Pool, e: Expr, signed: bool) -> Option<Shifted> {
    let width = pool.width(e);
    if width > MAX_WIDTH {
        return None;
    }
    let exact = |of: Shifted, sum: (i128, i128)| {
        let range = range(width, signed);
        (range.0 <= sum.0 && sum.1 <= range.1).then_some(of)
    };
    match pool.kind(e) {
        Kind::Var(var) => Some(Shifted {
            var,
            signed,
            offset: 0,
        }),
        Kind::ZExt(a) => shifted(pool, a, false),
        Kind::SExt(a) if signed => shifted(pool, a, true),
        Kind::Extract { of, lo: 0 } => exact(shifted(pool, of, signed)?, values(pool, of, signed)),
        Kind::Bin(BinOp::Add, a, c) => {
            let c = number_of(width, pool.as_const(c)?, true);
            let of = shifted(pool, a, signed)?;
            let (least, most) = values(pool, a, signed);
            let offset = of.offset + c;
            exact(Shifted { offset, ..of }, (least + c, most + c))
        }
        _ => None,
    }
}

/// Returns the least and greatest value of a term.
fn values(pool: &Pool, e: Expr, signed: bool) -> (i128, i128) {
    match signed {
        true => {
            let range = pool.signed_range(e);
            (range.min, range.max)
        }
        // Of 64 bits at most.
        false => (pool.facts(e).min as i128, pool.facts(e).max as i128),
    }
}

/// Returns the least and greatest number of a width.
pub fn range(width: Width, signed: bool) -> (i128, i128) {
    match signed {
        true => (-(1 << (width - 1)), (1 << (width - 1)) - 1),
        false => (0, (1 << width) - 1),
    }
}

/// Returns the number that a bit pattern is.
pub fn number_of(width: Width, bits: u128, signed: bool) -> i128 {
    let sign = signed && bits >> (width - 1) & 1 == 1;
    bits as i128 - if sign { 1 << width } else { 0 }
}
