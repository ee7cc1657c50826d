//! Backward transfer functions of operators on floats: as in `backward`, on ranks instead of bits
//! (`FloatRange`).
//!
//! Rounding is monotonic, so that the operands which give a result of a range are a range again,
//! whose ends are found by bisection.

use symex_terms::domain::float::{FloatRange, bits, rank};
use symex_terms::eval;
use symex_terms::{BinOp, Domain, FCast, UnOp, Width, mask};

/// Returns what is left of the operand of a unary operator. `None`: nothing.
pub(super) fn un(op: UnOp, width: Width, d: &Domain, a: &Domain) -> Option<Domain> {
    let full = Domain::full(width);
    if op == UnOp::FIsNan {
        let numbers = FloatRange::numbers(width).filter(|_| d.is(false));
        return Some(numbers.map_or(full, FloatRange::domain));
    }
    let (Some(of), Some(to)) = (
        FloatRange::of_numbers(width, a),
        FloatRange::of_numbers(width, d),
    ) else {
        return Some(full);
    };
    if op == UnOp::FSqrt && of.min < -1 {
        return Some(full);
    }
    let made = |v: i128| rank(width, eval::un(op, width, bits(width, v)));
    let (min, max) = inverse((of.min, of.max), (to.min, to.max), made)?;
    Some(FloatRange { min, max, ..of }.domain())
}

/// Returns what is left of the operand of a conversion from `from` to `to` bits. `None`: nothing.
pub(super) fn fcast(op: FCast, from: Width, to: Width, d: &Domain, a: &Domain) -> Option<Domain> {
    let full = Domain::full(from);
    let made = |v: u128| eval::fcast(op, from, to, v);
    match op {
        FCast::FromSigned | FCast::FromUnsigned => {
            let Some(result) = FloatRange::of_numbers(to, d) else {
                return Some(full);
            };
            let wanted = (result.min, result.max);
            if op == FCast::FromSigned {
                let made = |v: i128| rank(to, made(v as u128 & mask(from)));
                let (min, max) = inverse((a.smin, a.smax), wanted, made)?;
                return Some(Domain::signed(from, min, max));
            }
            let (Ok(min), Ok(max)) = (i128::try_from(a.min), i128::try_from(a.max)) else {
                return Some(full);
            };
            let (min, max) = inverse((min, max), wanted, |v| rank(to, made(v as u128)))?;
            Some(Domain::unsigned(from, min as u128, max as u128))
        }
        FCast::Float | FCast::ToSigned | FCast::ToUnsigned => {
            let Some(of) = FloatRange::of_numbers(from, a) else {
                return Some(full);
            };
            let range = (of.min, of.max);
            let (min, max) = match op {
                FCast::Float => {
                    let Some(result) = FloatRange::of_numbers(to, d) else {
                        return Some(full);
                    };
                    let made = |v: i128| rank(to, made(bits(from, v)));
                    inverse(range, (result.min, result.max), made)?
                }
                FCast::ToSigned => {
                    let made = |v: i128| eval::sign_extend(made(bits(from, v)), to);
                    inverse(range, (d.smin, d.smax), made)?
                }
                _ => {
                    let (Ok(min), Ok(max)) = (i128::try_from(d.min), i128::try_from(d.max)) else {
                        return Some(full);
                    };
                    let made = |v: i128| made(bits(from, v)).min(mask(127)) as i128;
                    inverse(range, (min, max), made)?
                }
            };
            Some(FloatRange { min, max, ..of }.domain())
        }
    }
}

/// Returns the least and the greatest number of a range for which a rising function is within
/// `wanted`.
fn inverse(
    range: (i128, i128),
    wanted: (i128, i128),
    made: impl Fn(i128) -> i128,
) -> Option<(i128, i128)> {
    let (mut min, mut max) = range;
    if made(max) < wanted.0 || made(min) > wanted.1 {
        return None;
    }
    if made(min) < wanted.0 {
        // Always: the function is below at `min`, and not at `last`.
        let mut last = max;
        while let Some(middle) = between(min, last) {
            match made(middle) < wanted.0 {
                true => min = middle,
                false => last = middle,
            }
        }
        min = last;
    }
    if made(max) > wanted.1 {
        let mut first = min;
        if made(first) > wanted.1 {
            return None;
        }
        while let Some(middle) = between(first, max) {
            match made(middle) > wanted.1 {
                true => max = middle,
                false => first = middle,
            }
        }
        max = first;
    }
    Some((min, max))
}

/// Returns the number in the middle between two, if there is any between them.
fn between(min: i128, max: i128) -> Option<i128> {
    match max.wrapping_sub(min) as u128 / 2 {
        0 => None,
        half => Some(min.wrapping_add(half as i128)),
    }
}

/// Returns what a comparison that holds, or one that does not, leaves of both sides. `None`:
/// nothing.
pub(super) fn compared(
    op: BinOp,
    width: Width,
    holds: bool,
    a: &Domain,
    b: &Domain,
) -> Option<(Domain, Domain)> {
    let full = (Domain::full(width), Domain::full(width));
    let Some(all) = FloatRange::numbers(width) else {
        return Some(full);
    };
    let (x, y) = (FloatRange::of(width, a), FloatRange::of(width, b));
    if !holds {
        // With a NaN, it fails.
        if x.is_none_or(|x| x.nan) || y.is_none_or(|y| y.nan) {
            return Some(full);
        }
        let exchanged = match op {
            BinOp::FLt => BinOp::FLe,
            BinOp::FLe => BinOp::FLt,
            _ => return Some(full),
        };
        return compared(exchanged, width, true, b, a).map(|(b, a)| (a, b));
    }
    let (x, y) = (x?, y?);
    let (most, least): (Step, Step) = match op {
        BinOp::FLt => (below, above),
        _ => (up_to, down_to),
    };
    let (mut left, mut right) = (all, all);
    left.max = most(y.max);
    right.min = least(x.min);
    if op == BinOp::FEq {
        left.min = least(y.min);
        right.max = most(x.max);
    }
    let is_left = |range: FloatRange| range.min <= range.max;
    (is_left(left) && is_left(right)).then(|| (left.domain(), right.domain()))
}

/// A function from the rank of a float to a bound of ranks.
type Step = fn(i128) -> i128;

/// Returns the greatest rank of a float that is less than one of this rank.
fn below(rank: i128) -> i128 {
    if rank == 0 { -2 } else { rank - 1 }
}

/// Returns the least rank of a float that is greater than one of this rank.
fn above(rank: i128) -> i128 {
    if rank == -1 { 1 } else { rank + 1 }
}

/// Returns the greatest rank of a float that is no greater than one of this rank.
fn up_to(rank: i128) -> i128 {
    if rank == -1 { 0 } else { rank }
}

/// Returns the least rank of a float that is no less than one of this rank.
fn down_to(rank: i128) -> i128 {
    if rank == 0 { -1 } else { rank }
}
