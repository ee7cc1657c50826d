//! What is known about a term read as a signed number: its least and its greatest value.
//!
//! Unsigned ranges and known bits ([`super::Facts`]) say nothing of a term that may be a little below or above zero,
//! as differences, signed quotients and signed remainders are. Where facts leave the sign open, the range is derived
//! from the operands' when a term is interned; a range that settles the sign goes into the facts, any other that says
//! more than the width is kept beside them. The derivation is interval arithmetic on whole numbers (R. E. Moore,
//! *Interval Analysis*, 1966, ch. 2): a result that does not fit the width is no range at all.
//!
//! Invariant: as for facts, ranges hold under every assignment and every address map.

use super::build::mask;
use super::facts::Facts;
use super::node::*;
use super::number::sign_extend;
use super::pool::Pool;

/// A range of signed numbers, with both ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SignedRange {
    pub min: i128,
    pub max: i128,
}

/// How deep a branch of a choice is looked into for the number that its condition is about.
const MAX_DEPTH: u32 = 3;

impl SignedRange {
    /// All numbers of a width.
    pub fn full(width: Width) -> SignedRange {
        let min = sign_extend(1 << (width - 1), width);
        SignedRange { min, max: !min }
    }

    /// What facts say, where they settle the sign.
    fn of_facts(f: Facts, width: Width) -> Option<SignedRange> {
        (f.is_nonnegative(width) || f.is_negative(width)).then(|| SignedRange {
            min: sign_extend(f.min, width),
            max: sign_extend(f.max, width),
        })
    }

    /// The same, if all of it are numbers of this width.
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

    /// Products; none if one does not fit the width.
    fn product(self, other: SignedRange, width: Width) -> Option<SignedRange> {
        self.corners(other, i128::checked_mul)?.fits(width)
    }

    /// Quotients, rounded towards zero, by divisors of one sign; none if one does not fit the width.
    fn quotient(self, by: SignedRange, width: Width) -> Option<SignedRange> {
        if by.min <= 0 && by.max >= 0 {
            return None;
        }
        self.corners(by, i128::checked_div)?.fits(width)
    }

    /// What `op` makes of the ends, for one that is monotonic in each operand.
    fn corners(
        self,
        other: SignedRange,
        op: impl Fn(i128, i128) -> Option<i128>,
    ) -> Option<SignedRange> {
        let (a, b) = (op(self.min, other.min)?, op(self.min, other.max)?);
        let (c, d) = (op(self.max, other.min)?, op(self.max, other.max)?);
        Some(SignedRange {
            min: a.min(b).min(c).min(d),
            max: a.max(b).max(c).max(d),
        })
    }

    /// Remainders with the sign of the dividend; of a division by zero, the dividend.
    fn remainder(self, by: SignedRange) -> SignedRange {
        let zero = SignedRange { min: 0, max: 0 };
        if by.min <= 0 && by.max >= 0 {
            return self.either(zero);
        }
        // At most 2^127 - 1.
        let most = (by.min.unsigned_abs().max(by.max.unsigned_abs()) - 1) as i128;
        SignedRange {
            min: self.min.max(-most).min(0),
            max: self.max.min(most).max(0),
        }
    }

    fn either(self, other: SignedRange) -> SignedRange {
        SignedRange {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
        }
    }
}

/// A term, and the range that a condition leaves it.
type Bounded = (Expr, SignedRange);

impl Pool {
    /// Least and greatest value of a term under any assignment, read as signed.
    pub fn signed_range(&self, e: Expr) -> SignedRange {
        let width = self.width(e);
        SignedRange::of_facts(self.facts(e), width)
            .or_else(|| self.signed_ranges.get(&e).copied())
            .unwrap_or_else(|| SignedRange::full(width))
    }

    /// Facts of a node that need not be interned yet, and the signed range that says more than they do.
    pub(super) fn derive_ranges(&self, kind: &Kind, width: Width) -> (Facts, Option<SignedRange>) {
        let facts = self.derive_facts(kind, width);
        if SignedRange::of_facts(facts, width).is_some() {
            return (facts, None);
        }
        let full = SignedRange::full(width);
        let range = self.derive_signed(kind, width);
        match range.and_then(|r| r.within(full)) {
            None => (facts, None),
            Some(r) if r == full => (facts, None),
            Some(r) if (r.min < 0) == (r.max < 0) => {
                let m = mask(width);
                (
                    facts.bounded(r.min as u128 & m, r.max as u128 & m, width),
                    None,
                )
            }
            Some(r) => (facts, Some(r)),
        }
    }

    fn derive_signed(&self, kind: &Kind, width: Width) -> Option<SignedRange> {
        let r = |e: Expr| self.signed_range(e);
        match *kind {
            Kind::SExt(a) => Some(r(a)),
            Kind::Un(UnOp::Not, a) => Some(SignedRange {
                min: !r(a).max,
                max: !r(a).min,
            }),
            Kind::Concat { hi, lo } => {
                let (h, l, by) = (r(hi), self.facts(lo), self.width(lo));
                Some(SignedRange {
                    min: h.min << by | l.min as i128,
                    max: h.max << by | l.max as i128,
                })
            }
            Kind::Extract { of, lo } => SignedRange {
                min: r(of).min >> lo,
                max: r(of).max >> lo,
            }
            .fits(width),
            Kind::Ite { cond, then, other } => {
                let (t, o) = (self.bounds(cond, true), self.bounds(cond, false));
                let (t, o) = (
                    self.range_under(then, t, MAX_DEPTH),
                    self.range_under(other, o, MAX_DEPTH),
                );
                Some(t.either(o))
            }
            Kind::Bin(op, a, b) => match op {
                BinOp::Add => r(a).sum(r(b), width),
                BinOp::Sub => r(a).difference(r(b), width),
                BinOp::Mul => r(a).product(r(b), width),
                BinOp::SDiv => r(a).quotient(r(b), width),
                BinOp::SRem => Some(r(a).remainder(r(b))),
                BinOp::AShr => {
                    let by = self.as_const(b)?.min(127) as u32;
                    Some(SignedRange {
                        min: r(a).min >> by,
                        max: r(a).max >> by,
                    })
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// A number and the range that a condition leaves it, if the condition holds or does not.
    fn bounds(&self, cond: Expr, holds: bool) -> Option<Bounded> {
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
    fn range_under(&self, e: Expr, bounded: Option<Bounded>, depth: u32) -> SignedRange {
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
