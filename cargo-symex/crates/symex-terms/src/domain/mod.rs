//! The abstract domain of term values: an unsigned range, a signed range and known bits, each
//! tightened by the others (reduced product).
//!
//! This is the one value domain: the facts about a term when it is interned ([`Facts`] and
//! [`SignedRange`] are how the pool stores them) and the facts that a solver stage learns from a
//! query are both domains. [`transfer`] has the one set of transfer functions, which the rows of
//! the operator table name; those of floats are in `float`.
//!
//! Invariant: a domain is never empty, and both of its ranges end at values that its known bits
//! allow.

mod derive;
pub mod float;
pub mod transfer;

use crate::build::mask;
use crate::facts::Facts;
use crate::node::Width;
use crate::number::sign_extend;
use crate::signed::SignedRange;

/// Abstract value of a term: the values within both ranges that have the known bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Domain {
    pub min: u128,
    pub max: u128,
    /// Least value as a signed number; `smax` is the greatest.
    pub smin: i128,
    pub smax: i128,
    /// Bits that are zero in all values.
    pub zero: u128,
    /// Bits that are one in all values.
    pub one: u128,
}

/// Effect of [`Domain::meet`] on a domain.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Met {
    Same,
    Smaller,
    Empty,
}

impl Domain {
    /// Makes the domain of all values of a width.
    pub fn full(width: Width) -> Domain {
        let signed = SignedRange::full(width);
        Domain {
            min: 0,
            max: mask(width),
            smin: signed.min,
            smax: signed.max,
            zero: 0,
            one: 0,
        }
    }

    /// Makes the domain of one value.
    pub fn constant(width: Width, value: u128) -> Domain {
        let signed = sign_extend(value, width);
        Domain {
            min: value,
            max: value,
            smin: signed,
            smax: signed,
            zero: !value & mask(width),
            one: value,
        }
    }

    /// Makes a domain from an unsigned range alone. It is not trimmed.
    pub fn unsigned(width: Width, min: u128, max: u128) -> Domain {
        Domain {
            min,
            max,
            ..Domain::full(width)
        }
    }

    /// Makes a domain from a signed range alone. It is not trimmed.
    pub fn signed(width: Width, min: i128, max: i128) -> Domain {
        Domain {
            smin: min,
            smax: max,
            ..Domain::full(width)
        }
    }

    /// Makes the domain from the two halves that a pool keeps.
    pub(crate) fn of_halves(facts: Facts, signed: SignedRange) -> Domain {
        Domain {
            min: facts.min,
            max: facts.max,
            smin: signed.min,
            smax: signed.max,
            zero: facts.zero,
            one: facts.one,
        }
    }

    /// Returns the unsigned range and the known bits.
    pub(crate) fn facts(&self) -> Facts {
        Facts {
            zero: self.zero,
            one: self.one,
            min: self.min,
            max: self.max,
        }
    }

    /// Returns the signed range.
    pub fn signed_range(&self) -> SignedRange {
        SignedRange {
            min: self.smin,
            max: self.smax,
        }
    }

    /// Tightens ranges and bits by each other. If no value is left, which happens only for a term
    /// without a defined value, the result is all values.
    pub(crate) fn trimmed(mut self, width: Width) -> Domain {
        let full = Domain::full(width);
        self.min = self.min.max(full.min);
        self.max = self.max.min(full.max);
        self.smin = self.smin.max(full.smin);
        self.smax = self.smax.min(full.smax);
        if self.trim(width) { self } else { full }
    }

    /// Returns the value, if there is only one.
    pub fn value(&self) -> Option<u128> {
        (self.min == self.max).then_some(self.min)
    }

    /// Reports whether the domain is this truth value alone.
    pub fn is(&self, truth: bool) -> bool {
        self.value() == Some(truth as u128)
    }

    /// Returns an upper bound of the number of values, less one.
    pub fn spread(&self) -> u128 {
        let unknown = mask_of(self.max) & !(self.zero | self.one);
        // Values are multiples of the lowest unknown bit apart.
        let steps = (self.max - self.min) >> unknown.trailing_zeros().min(127);
        match unknown.count_ones() {
            bits @ 0..=127 => steps.min((1u128 << bits) - 1),
            _ => steps,
        }
    }

    /// Reports whether the domains plainly have no value in common. False means that they may have
    /// one.
    pub fn excludes(&self, other: &Domain) -> bool {
        self.max < other.min
            || other.max < self.min
            || self.smax < other.smin
            || other.smax < self.smin
            || self.zero & other.one != 0
            || self.one & other.zero != 0
    }

    /// Returns the join: the smallest domain with the values of both.
    pub fn hull(&self, other: &Domain) -> Domain {
        Domain {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            smin: self.smin.min(other.smin),
            smax: self.smax.max(other.smax),
            zero: self.zero & other.zero,
            one: self.one & other.one,
        }
    }

    /// Intersects with another domain. If the intersection is empty, the domain stays as it was.
    pub fn meet(&mut self, other: &Domain, width: Width) -> Met {
        let mut met = Domain {
            min: self.min.max(other.min),
            max: self.max.min(other.max),
            smin: self.smin.max(other.smin),
            smax: self.smax.min(other.smax),
            zero: self.zero | other.zero,
            one: self.one | other.one,
        };
        if met == *self {
            return Met::Same;
        }
        if !met.trim(width) {
            return Met::Empty;
        }
        *self = met;
        Met::Smaller
    }

    /// Reports whether the domain contains the value.
    pub fn allows(&self, value: u128, width: Width) -> bool {
        let signed = sign_extend(value, width);
        self.min <= value
            && value <= self.max
            && self.smin <= signed
            && signed <= self.smax
            && value & self.zero == 0
            && !value & self.one == 0
    }

    /// Returns the value of the domain nearest to a wish, or one a little above it.
    pub fn near(&self, wish: u128, width: Width) -> u128 {
        if wish <= self.min {
            self.min
        } else if wish >= self.max {
            self.max
        } else {
            at_least(wish, self.zero, self.one, mask(width)).unwrap_or(self.max)
        }
    }

    /// Tightens ranges and bits by each other; false if no value is left.
    fn trim(&mut self, width: Width) -> bool {
        let m = mask(width);
        let half = 1u128 << (width - 1);
        loop {
            let before = *self;
            if self.min > self.max || self.smin > self.smax || self.zero & self.one != 0 {
                return false;
            }
            let same = match self.min ^ self.max {
                0 => m,
                differ => m & !mask_of(differ),
            };
            self.one |= self.min & same;
            self.zero |= !self.min & same;
            if self.zero & self.one != 0 {
                return false;
            }
            let (Some(min), Some(max)) = (
                at_least(self.min, self.zero, self.one, m),
                at_least(m - self.max, self.one, self.zero, m),
            ) else {
                return false;
            };
            (self.min, self.max) = (min, m - max);
            if self.max < half || self.min >= half {
                self.smin = self.smin.max(sign_extend(self.min, width));
                self.smax = self.smax.min(sign_extend(self.max, width));
            }
            let (low, high) = (self.smin as u128 & m, self.smax as u128 & m);
            if (self.smin < 0) == (self.smax < 0) {
                self.min = self.min.max(low);
                self.max = self.max.min(high);
            } else {
                // The unsigned numbers from `high` to `low` are missing in between.
                if self.min > high {
                    self.min = self.min.max(low);
                    self.smax = -1;
                }
                if self.max < low {
                    self.max = self.max.min(high);
                    self.smin = 0;
                }
            }
            if *self == before {
                return true;
            }
        }
    }
}

/// Returns a mask of all bits up to the highest one bit of a number.
fn mask_of(v: u128) -> u128 {
    match v {
        0 => 0,
        _ => u128::MAX >> v.leading_zeros(),
    }
}

/// Returns the least number from `v` on that has the known bits.
fn at_least(v: u128, zero: u128, one: u128, m: u128) -> Option<u128> {
    let wrong = v & zero | !v & one;
    if wrong == 0 {
        return Some(v);
    }
    let highest = 1u128 << (127 - wrong.leading_zeros());
    let set = if v & highest == 0 {
        highest
    } else {
        // A bit further up must become one; the lowest that can.
        let free = !v & !zero & m & !(highest | (highest - 1));
        if free == 0 {
            return None;
        }
        free & free.wrapping_neg()
    };
    Some(v & !(set | (set - 1)) | set | one & (set - 1))
}
