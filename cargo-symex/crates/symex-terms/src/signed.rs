//! The signed half of a term's domain: its least and its greatest value, read as signed numbers.
//!
//! Unsigned ranges and known bits ([`super::Facts`]) give no information about a term that may be a
//! little below or above zero, such as differences, signed quotients and signed remainders. Where
//! facts leave the sign open, a range that says more than the width is kept in addition.
//!
//! Invariant: like facts, ranges hold under every assignment and every address map.

use super::facts::Facts;
use super::node::*;
use super::number::sign_extend;
use super::op::{BinOp, UnOp};
use super::pool::Pool;

/// A non-empty range of signed numbers, with both ends included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignedRange {
    pub min: i128,
    pub max: i128,
}

/// Depth to which a branch of an if-then-else is searched for the number that its condition bounds.
pub(super) const MAX_DEPTH: u32 = 3;

impl SignedRange {
    /// Makes the range of all numbers of a width.
    pub fn full(width: Width) -> SignedRange {
        let min = sign_extend(1 << (width - 1), width);
        SignedRange { min, max: !min }
    }

    /// Derives the range from facts that settle the sign.
    pub(super) fn of_facts(f: Facts, width: Width) -> Option<SignedRange> {
        (f.is_nonnegative(width) || f.is_negative(width)).then(|| SignedRange {
            min: sign_extend(f.min, width),
            max: sign_extend(f.max, width),
        })
    }

    /// Returns the range, if all of it fits this width.
    pub fn fits(self, width: Width) -> Option<SignedRange> {
        let full = SignedRange::full(width);
        (full.min <= self.min && self.max <= full.max).then_some(self)
    }

    /// Reports whether the ranges have no number in common.
    pub fn excludes(self, other: SignedRange) -> bool {
        self.max < other.min || other.max < self.min
    }

    /// Intersects two ranges; `None` if nothing is left.
    pub fn within(self, other: SignedRange) -> Option<SignedRange> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        (min <= max).then_some(SignedRange { min, max })
    }

    /// Restricts the range to the numbers below zero, or to the others.
    pub fn of_sign(self, negative: bool) -> Option<SignedRange> {
        self.within(if negative {
            SignedRange {
                min: i128::MIN,
                max: -1,
            }
        } else {
            SignedRange {
                min: 0,
                max: i128::MAX,
            }
        })
    }

    /// Adds two ranges; `None` if a sum does not fit the width.
    pub fn sum(self, other: SignedRange, width: Width) -> Option<SignedRange> {
        SignedRange {
            min: self.min.checked_add(other.min)?,
            max: self.max.checked_add(other.max)?,
        }
        .fits(width)
    }

    /// Subtracts two ranges; `None` if a difference does not fit the width.
    pub fn difference(self, other: SignedRange, width: Width) -> Option<SignedRange> {
        SignedRange {
            min: self.min.checked_sub(other.max)?,
            max: self.max.checked_sub(other.min)?,
        }
        .fits(width)
    }
}

/// A term, with the range to which a condition restricts it.
pub(super) type Bounded = (Expr, SignedRange);

impl Pool {
    /// Returns the least and greatest value of a term under any assignment, read as signed.
    pub fn signed_range(&self, e: Expr) -> SignedRange {
        let width = self.width(e);
        SignedRange::of_facts(self.facts(e), width)
            .or_else(|| self.signed_ranges.get(&e).copied())
            .unwrap_or_else(|| SignedRange::full(width))
    }

    /// Returns a term bounded by a condition, with its range where the condition holds (or does
    /// not).
    pub(super) fn bounds(&self, cond: Expr, holds: bool) -> Option<Bounded> {
        let (below, above) = match self.kind(cond) {
            Kind::Un(UnOp::Not, c) => return self.bounds(c, !holds),
            Kind::Extract { of, lo } if lo == self.width(of) - 1 => {
                return Some((of, self.signed_range(of).of_sign(holds)?));
            }
            Kind::Bin(BinOp::SLt, a, b) => (a, b),
            _ => return None,
        };
        let (a, b) = (self.signed_range(below), self.signed_range(above));
        let (number, limit) = if self.as_const(above).is_some() {
            // below < above, or below >= above
            (
                below,
                if holds {
                    (i128::MIN, b.max.checked_sub(1)?)
                } else {
                    (b.min, i128::MAX)
                },
            )
        } else {
            (
                above,
                if holds {
                    (a.min.checked_add(1)?, i128::MAX)
                } else {
                    (i128::MIN, a.max)
                },
            )
        };
        let (min, max) = limit;
        let range = self.signed_range(number).within(SignedRange { min, max })?;
        Some((number, range))
    }

    /// Returns the range of a term under the assumption that another has the given range.
    pub(super) fn range_under(&self, e: Expr, bounded: Option<Bounded>, depth: u32) -> SignedRange {
        let known = self.signed_range(e);
        let Some((number, range)) = bounded else {
            return known;
        };
        if e == number {
            return range;
        }
        if depth == 0 {
            return known;
        }
        let under = |e: Expr| self.range_under(e, bounded, depth - 1);
        let width = self.width(e);
        let derived = match self.kind(e) {
            Kind::Bin(BinOp::Add, a, b) => under(a).sum(under(b), width),
            Kind::Bin(BinOp::Sub, a, b) => under(a).difference(under(b), width),
            _ => None,
        };
        derived.and_then(|d| d.within(known)).unwrap_or(known)
    }
}
