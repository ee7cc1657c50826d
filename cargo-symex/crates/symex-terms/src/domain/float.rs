//! Ranges of floats, of either sign: what a domain says of bits that are taken for a float.
//!
//! Floats are ordered by their *rank*, an integer: that of a float without sign is its bits, and
//! that of its negation is the complement. So the ranks of -1.0, -0.0, 0.0 and 1.0 rise in this
//! order, the two zeros have ranks of their own, and every operation here rounds monotonically in
//! the rank of each operand, the sign of a zero included (IEEE 754, sec. 4.3 and 6.3: where an
//! exact sum of numbers is zero, it is positive, but of two negative zeros).
//!
//! A domain loses nothing of such a range, even if it has both signs: the largest number of bits is
//! its negative end, and the largest as a signed number its positive end.

use super::Domain;
use crate::build::mask;
use crate::node::Width;
use crate::number::{self, sign_extend};
use crate::op::{BinOp, FCast, Rounding};

/// The floats whose ranks are from `min` to `max`, and NaNs if there may be any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatRange {
    pub width: Width,
    pub min: i128,
    pub max: i128,
    /// Whether NaNs are possible, too.
    pub nan: bool,
}

/// Returns the rank of positive infinity in a format without explicit leading bit.
pub fn infinity(width: Width) -> Option<i128> {
    Some(match width {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        64 => 0x7ff0_0000_0000_0000,
        128 => 0x7fff << 112,
        _ => return None,
    })
}

/// Returns the bits of the float of a rank.
pub fn bits(width: Width, rank: i128) -> u128 {
    match rank < 0 {
        true => !rank as u128 | 1 << (width - 1),
        false => rank as u128,
    }
}

/// Returns the rank of a float that is no NaN.
pub fn rank(width: Width, bits: u128) -> i128 {
    match bits >> (width - 1) {
        0 => bits as i128,
        _ => !((bits & mask(width) >> 1) as i128),
    }
}

impl FloatRange {
    /// Returns all numbers of a format, if it has ranges.
    pub fn numbers(width: Width) -> Option<FloatRange> {
        let most = infinity(width)?;
        Some(FloatRange {
            width,
            min: !most,
            max: most,
            nan: false,
        })
    }

    /// Returns the floats of a domain. `None`: there is no such format, or only NaNs.
    pub fn of(width: Width, d: &Domain) -> Option<FloatRange> {
        let most = infinity(width)?;
        let sign = 1u128 << (width - 1);
        // The least and the greatest rank, with NaNs beyond infinity.
        let min = match d.max >= sign {
            true => !((d.max - sign) as i128),
            false => d.min as i128,
        };
        let max = match d.min < sign {
            true => d.max.min(mask(width) >> 1).min(d.smax.max(0) as u128) as i128,
            false => !((d.min - sign) as i128),
        };
        let range = FloatRange {
            width,
            min: min.max(!most),
            max: max.min(most),
            nan: min < !most || max > most,
        };
        (range.min <= range.max).then_some(range)
    }

    /// Returns the floats of a domain, if there are no NaNs among them.
    pub fn of_numbers(width: Width, d: &Domain) -> Option<FloatRange> {
        FloatRange::of(width, d).filter(|range| !range.nan)
    }

    /// Returns the least range with the floats of these bits, if they are no NaNs.
    fn around(width: Width, ends: &[u128]) -> Option<FloatRange> {
        infinity(width)?;
        if ends.iter().any(|v| number::is_nan(width, *v)) {
            return None;
        }
        let ranks = ends.iter().map(|v| rank(width, *v));
        Some(FloatRange {
            width,
            min: ranks.clone().min()?,
            max: ranks.max()?,
            nan: false,
        })
    }

    /// Returns the domain of these floats. It is not trimmed.
    pub fn domain(self) -> Domain {
        let full = Domain::full(self.width);
        let ends = (bits(self.width, self.min), bits(self.width, self.max));
        match (self.min < 0, self.max < 0) {
            _ if self.nan => full,
            (false, _) => Domain::unsigned(self.width, ends.0, ends.1),
            (true, true) => Domain::unsigned(self.width, ends.1, ends.0),
            (true, false) => Domain {
                max: ends.0,
                smax: self.max,
                ..full
            },
        }
    }

    fn least(self) -> u128 {
        bits(self.width, self.min)
    }

    fn greatest(self) -> u128 {
        bits(self.width, self.max)
    }

    /// Reports whether one of the two zeros is in the range.
    fn has_zero(self) -> bool {
        self.min <= 0 && self.max >= -1
    }

    pub(crate) fn has_infinity(self) -> bool {
        infinity(self.width).is_some_and(|most| self.max >= most || self.min <= !most)
    }

    /// Returns the negations of these floats.
    pub(crate) fn negated(self) -> FloatRange {
        FloatRange {
            min: !self.max,
            max: !self.min,
            ..self
        }
    }

    /// Returns these floats without their signs.
    pub(crate) fn sizes(self) -> FloatRange {
        FloatRange {
            min: self.least_size(),
            max: self.size(),
            ..self
        }
    }

    /// Returns the greatest rank without its sign.
    fn size(self) -> i128 {
        let without_sign = |rank: i128| if rank < 0 { !rank } else { rank };
        without_sign(self.min).max(without_sign(self.max))
    }

    /// Returns the least rank without its sign.
    fn least_size(self) -> i128 {
        match (self.min < 0, self.max < 0) {
            (true, true) => !self.max,
            (true, false) => 0,
            _ => self.min,
        }
    }
}

/// Returns the domain of what an operation makes of two floats, which is monotonic in each.
fn monotonic(
    width: Width,
    eval: fn(Width, u128, u128) -> u128,
    a: FloatRange,
    b: FloatRange,
) -> Domain {
    let at = |x, y| eval(width, x, y);
    let ends = [
        at(a.least(), b.least()),
        at(a.least(), b.greatest()),
        at(a.greatest(), b.least()),
        at(a.greatest(), b.greatest()),
    ];
    made(width, &ends)
}

/// Returns the domain of the floats between the least and the greatest of some.
fn made(width: Width, ends: &[u128]) -> Domain {
    FloatRange::around(width, ends).map_or(Domain::full(width), FloatRange::domain)
}

pub(crate) fn sqrt(width: Width, a: &Domain) -> Domain {
    match FloatRange::of_numbers(width, a) {
        // The root of a negative zero is one.
        Some(a) if a.min >= -1 => {
            let ends = [a.least(), a.greatest()].map(|v| number::fsqrt(width, v));
            made(width, &ends)
        }
        _ => Domain::full(width),
    }
}

pub(crate) fn round(to: Rounding, width: Width, a: &Domain) -> Domain {
    match FloatRange::of_numbers(width, a) {
        Some(a) => {
            let ends = [a.least(), a.greatest()].map(|v| number::fround(to, width, v));
            made(width, &ends)
        }
        None => Domain::full(width),
    }
}

/// Reports whether all floats of the domain are numbers, or none is; `None` where neither is known.
pub(crate) fn are_numbers(width: Width, a: &Domain) -> Option<bool> {
    infinity(width)?;
    match FloatRange::of(width, a) {
        Some(range) if !range.nan => Some(true),
        Some(_) => None,
        None => Some(false),
    }
}

/// Returns the numbers of two domains.
fn both(width: Width, a: &Domain, b: &Domain) -> Option<(FloatRange, FloatRange)> {
    Some((
        FloatRange::of_numbers(width, a)?,
        FloatRange::of_numbers(width, b)?,
    ))
}

/// Returns the domain of a sum.
fn sum(a: FloatRange, b: FloatRange) -> Domain {
    let width = a.width;
    let most = infinity(width).unwrap_or_default();
    // An infinity less itself is a NaN.
    if a.max >= most && b.min <= !most || a.min <= !most && b.max >= most {
        return Domain::full(width);
    }
    let ends = [
        number::fadd(width, a.least(), b.least()),
        number::fadd(width, a.greatest(), b.greatest()),
    ];
    made(width, &ends)
}

pub(crate) fn add(width: Width, a: &Domain, b: &Domain) -> Domain {
    both(width, a, b).map_or(Domain::full(width), |(a, b)| sum(a, b))
}

pub(crate) fn sub(width: Width, a: &Domain, b: &Domain) -> Domain {
    both(width, a, b).map_or(Domain::full(width), |(a, b)| sum(a, b.negated()))
}

pub(crate) fn mul(width: Width, a: &Domain, b: &Domain) -> Domain {
    match both(width, a, b) {
        Some((a, b)) if !(a.has_zero() && b.has_infinity() || a.has_infinity() && b.has_zero()) => {
            monotonic(width, number::fmul, a, b)
        }
        _ => Domain::full(width),
    }
}

pub(crate) fn div(width: Width, a: &Domain, b: &Domain) -> Domain {
    match both(width, a, b) {
        // Where the divisor changes its sign, the quotient leaps from one infinity to the other.
        Some((a, b))
            if (b.min < 0) == (b.max < 0)
                && !(a.has_zero() && b.has_zero())
                && !(a.has_infinity() && b.has_infinity()) =>
        {
            monotonic(width, number::fdiv, a, b)
        }
        _ => Domain::full(width),
    }
}

/// Returns the domain of a remainder, which has the dividend's sign, and is neither above the
/// dividend nor as far from zero as the divisor.
pub(crate) fn rem(width: Width, a: &Domain, b: &Domain) -> Domain {
    let Some((a, b)) = both(width, a, b) else {
        return Domain::full(width);
    };
    if a.has_infinity() || b.has_zero() {
        return Domain::full(width);
    }
    if a.size() < b.least_size() {
        return a.domain();
    }
    let most = b.size();
    let range = FloatRange {
        min: if a.min < 0 { a.min.max(!most) } else { 0 },
        max: if a.max >= 0 { a.max.min(most) } else { -1 },
        ..a
    };
    range.domain()
}

/// Returns the truth of a comparison: whether it is known to hold, and whether it is known to fail.
///
/// With a NaN, no comparison holds.
pub(crate) fn compare(op: BinOp, width: Width, a: &Domain, b: &Domain) -> (bool, bool) {
    if infinity(width).is_none() {
        return (false, false);
    }
    let (Some(a), Some(b)) = (FloatRange::of(width, a), FloatRange::of(width, b)) else {
        return (false, true);
    };
    let (holds, fails) = compare_numbers(op, a, b);
    (holds && !a.nan && !b.nan, fails)
}

/// Returns the truth of a comparison of the numbers of two ranges: whether it is known to hold, and
/// whether it is known to fail.
pub(crate) fn compare_numbers(op: BinOp, a: FloatRange, b: FloatRange) -> (bool, bool) {
    let lt = |x: u128, y: u128| number::flt(a.width, x, y) == 1;
    let le = |x: u128, y: u128| number::fle(a.width, x, y) == 1;
    match op {
        BinOp::FLt => (lt(a.greatest(), b.least()), le(b.greatest(), a.least())),
        BinOp::FLe => (le(a.greatest(), b.least()), lt(b.greatest(), a.least())),
        _ => (
            le(a.greatest(), b.least()) && le(b.greatest(), a.least()),
            lt(a.greatest(), b.least()) || lt(b.greatest(), a.least()),
        ),
    }
}

/// Converts a domain from `from` to `to` bits.
pub(crate) fn cast(op: FCast, from: Width, to: Width, a: &Domain) -> Domain {
    let cast = |v: u128| number::fcast(op, from, to, v);
    match op {
        FCast::FromUnsigned => made(to, &[cast(a.min), cast(a.max)]),
        FCast::FromSigned => {
            let of = |v: i128| cast(v as u128 & mask(from));
            made(to, &[of(a.smin), of(a.smax)])
        }
        FCast::Float => match FloatRange::of_numbers(from, a) {
            Some(a) => made(to, &[cast(a.least()), cast(a.greatest())]),
            None => Domain::full(to),
        },
        FCast::ToSigned | FCast::ToUnsigned => {
            let Some(a) = FloatRange::of(from, a) else {
                return match infinity(from) {
                    // A NaN becomes zero.
                    Some(_) => Domain::constant(to, 0),
                    None => Domain::full(to),
                };
            };
            let (min, max) = (cast(a.least()), cast(a.greatest()));
            match op {
                FCast::ToUnsigned => Domain::unsigned(to, if a.nan { 0 } else { min }, max),
                _ => {
                    let (min, max) = (sign_extend(min, to), sign_extend(max, to));
                    match a.nan {
                        true => Domain::signed(to, min.min(0), max.max(0)),
                        false => Domain::signed(to, min, max),
                    }
                }
            }
        }
    }
}

#[cfg(test)]
#[path = "float_tests.rs"]
mod tests;
