//! The signed half of what is known about a term: its least and its greatest value, read as a
//! signed number.
//!
//! Unsigned ranges and known bits ([`super::Facts`]) say nothing of a term that may be a little
//! below or above zero, as differences, signed quotients and signed remainders are. Where facts
//! leave the sign open, a range that says more than the width is kept beside them.
//!
//! Invariant: as for facts, ranges hold under every assignment and every address map.

use super::facts::Facts;
use super::node::*;
use super::number::sign_extend;
use super::op::{BinOp, UnOp};
use super::pool::Pool;

/// A range of signed numbers, with both ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignedRange {
    pub min: i128,
    pub max: i128,
}

/// How deep a branch of a choice is looked into for the number that its condition is about.
pub(super) const MAX_DEPTH: u32 = 3;

impl SignedRange {
    /// All numbers of a width.
    pub fn full(width: Width) -> SignedRange {
        let min = sign_extend(1 << (width - 1), width);
        SignedRange { min, max: !min }
    }

    /// What facts say, where they settle the sign.
    pub(super) fn of_facts(f: Facts, width: Width) -> Option<SignedRange> {
        (f.is_nonnegative(width) || f.is_negative(width)).then(|| SignedRange {
            min: sign_extend(f.min, width),
            max: sign_extend(f.max, width),
        })
    }

    /// The range, if all of it are numbers of this width.
    pub fn fits(self, width: Width) -> Option<SignedRange> {
        let full = SignedRange::full(width);
        (full.min <= self.min && self.max <= full.max).then_some(self)
    }

    /// Is there no number in both?
    pub fn excludes(self, other: SignedRange) -> bool {
        self.max < other.min || other.max < self.min
    }

    /// The numbers that are in both; none if there are none.
    pub fn within(self, other: SignedRange) -> Option<SignedRange> {
        let (min, max) = (self.min.max(other.min), self.max.min(other.max));
        (min <= max).then_some(SignedRange { min, max })
    }

    /// The numbers below zero, or the others.
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

    /// Sums; none if one does not fit the width.
    pub fn sum(self, other: SignedRange, width: Width) -> Option<SignedRange> {
        SignedRange {
            min: self.min.checked_add(other.min)?,
            max: self.max.checked_add(other.max)?,
        }
        .fits(width)
    }

    /// Differences; none if one does not fit the width.
    pub fn difference(self, other: SignedRange, width: Width) -> Option<SignedRange> {
        SignedRange {
            min: self.min.checked_sub(other.max)?,
            max: self.max.checked_sub(other.min)?,
        }
        .fits(width)
    }
}

/// A term, and the range that a condition leaves it.
pub(super) type Bounded = (Expr, SignedRange);

impl Pool {
    /// Least and greatest value of a term under any assignment, read as signed.
    pub fn signed_range(&self, e: Expr) -> SignedRange {
        let width = self.width(e);
        SignedRange::of_facts(self.facts(e), width)
            .or_else(|| self.signed_ranges.get(&e).copied())
            .unwrap_or_else(|| SignedRange::full(width))
    }

    /// A number and the range that a condition leaves it, if the condition holds or does not.
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

    /// The range of a term, where a number has the given one.
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
