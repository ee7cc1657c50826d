//! Transfer functions: the domain of an operator's result from the domains of its operands.
//!
//! Interval arithmetic on integers (R. E. Moore, *Interval Analysis*, 1966, ch. 2), unsigned and
//! signed at once, combined with known bits. A range whose two ends wrap around differently gives
//! no information. Floats are ranges of their bits, of either sign (`float`).
//!
//! Invariant: the result contains the operator's value for all values of the operands. It need not
//! be trimmed.

use super::{Domain, float};
use crate::build::mask;
use crate::node::Width;
use crate::number::sign_extend;
use crate::op::{BinOp, FCast, UnOp};
use crate::signed::SignedRange;

/// Applies a unary operator to the domain of an operand of `width` bits.
#[inline]
pub fn un(op: UnOp, width: Width, a: &Domain) -> Domain {
    (op.info().transfer)(width, a)
}

/// Applies a binary operator to the domains of operands of `width` bits.
#[inline]
pub fn bin(op: BinOp, width: Width, a: &Domain, b: &Domain) -> Domain {
    (op.info().transfer)(width, a, b)
}

fn truth(holds: bool, fails: bool) -> Domain {
    match (holds, fails) {
        (true, _) => Domain::constant(1, 1),
        (_, true) => Domain::constant(1, 0),
        _ => Domain::full(1),
    }
}

pub(crate) fn not(width: Width, a: &Domain) -> Domain {
    let m = mask(width);
    Domain {
        min: m - a.max,
        max: m - a.min,
        smin: !a.smax,
        smax: !a.smin,
        zero: a.one,
        one: a.zero,
    }
}

pub(crate) fn popcount(width: Width, a: &Domain) -> Domain {
    let (least, most) = (a.one.count_ones(), width - a.zero.count_ones());
    Domain::unsigned(width, least.into(), most.into())
}

pub(crate) fn clz(width: Width, a: &Domain) -> Domain {
    let unused = 128 - width;
    let (least, most) = (a.max.leading_zeros(), a.min.leading_zeros());
    Domain::unsigned(width, (least - unused).into(), (most - unused).into())
}

pub(crate) fn ctz(width: Width, a: &Domain) -> Domain {
    let least = a.zero.trailing_ones().min(width);
    let most = a.one.trailing_zeros().min(width);
    Domain::unsigned(width, least.into(), most.into())
}

pub(crate) fn add(width: Width, a: &Domain, b: &Domain) -> Domain {
    let mut d = carried(width, a, b, false);
    set_unsigned(
        &mut d,
        wrapped(width, a.min.checked_add(b.min), a.max.checked_add(b.max)),
    );
    let (min, max) = (a.smin.checked_add(b.smin), a.smax.checked_add(b.smax));
    set_signed(&mut d, width, min, max);
    d
}

pub(crate) fn sub(width: Width, a: &Domain, b: &Domain) -> Domain {
    let m = mask(width);
    let mut d = carried(width, a, &not(width, b), true);
    if a.min >= b.max {
        (d.min, d.max) = (a.min - b.max, a.max - b.min);
    } else if a.max < b.min {
        d.min = a.min.wrapping_sub(b.max) & m;
        d.max = a.max.wrapping_sub(b.min) & m;
    }
    let (min, max) = (a.smin.checked_sub(b.smax), a.smax.checked_sub(b.smin));
    set_signed(&mut d, width, min, max);
    d
}

pub(crate) fn mul(width: Width, a: &Domain, b: &Domain) -> Domain {
    let mut d = Domain::full(width);
    // The low bits of a product depend on no higher ones.
    let bits = (a.zero | a.one)
        .trailing_ones()
        .min((b.zero | b.one).trailing_ones())
        .min(width);
    let low = mask(bits);
    let value = a.one.wrapping_mul(b.one) & low;
    let zeros = (a.zero.trailing_ones() + b.zero.trailing_ones()).min(width);
    d.one = value;
    d.zero = !value & low | mask(zeros);
    set_unsigned(
        &mut d,
        wrapped(width, a.min.checked_mul(b.min), a.max.checked_mul(b.max)),
    );
    if let Some((min, max)) = corners(a, b, i128::checked_mul) {
        set_signed(&mut d, width, Some(min), Some(max));
    }
    d
}

pub(crate) fn udiv(width: Width, a: &Domain, b: &Domain) -> Domain {
    let m = mask(width);
    if b.max == 0 {
        return Domain::constant(width, m);
    }
    let max = a.max.checked_div(b.min).unwrap_or(m);
    Domain::unsigned(width, a.min / b.max, max)
}

pub(crate) fn urem(width: Width, a: &Domain, b: &Domain) -> Domain {
    // By zero, it is the dividend; and so it is by anything above it.
    if b.max == 0 || a.max < b.min {
        return *a;
    }
    if b.min == 0 {
        return Domain::unsigned(width, 0, a.max);
    }
    let mut d = Domain::unsigned(width, 0, a.max.min(b.max - 1));
    if let Some(k) = b.value() {
        if a.min / k == a.max / k {
            (d.min, d.max) = (a.min % k, a.max % k);
        }
        let low = mask(k.trailing_zeros());
        (d.zero, d.one) = (a.zero & low, a.one & low);
    }
    d
}

pub(crate) fn sdiv(width: Width, a: &Domain, b: &Domain) -> Domain {
    let mut d = Domain::full(width);
    if b.smin <= 0 && b.smax >= 0 {
        return d;
    }
    if let Some((min, max)) = corners(a, b, i128::checked_div) {
        set_signed(&mut d, width, Some(min), Some(max));
    }
    d
}

pub(crate) fn srem(width: Width, a: &Domain, b: &Domain) -> Domain {
    if b.smin <= 0 && b.smax >= 0 {
        return Domain::signed(width, a.smin.min(0), a.smax.max(0));
    }
    // At most 2^127 - 1.
    let most = (b.smin.unsigned_abs().max(b.smax.unsigned_abs()) - 1) as i128;
    let mut d = Domain::signed(width, a.smin.max(-most).min(0), a.smax.min(most).max(0));
    if let Some(k) = b.value() {
        let low = mask(k.trailing_zeros());
        (d.zero, d.one) = (a.zero & low, a.one & low);
        let ends = (a.smin.checked_div(b.smin), a.smax.checked_div(b.smin));
        if let (Some(first), Some(last)) = ends
            && first == last
        {
            (d.smin, d.smax) = (a.smin % b.smin, a.smax % b.smin);
        }
    }
    d
}

pub(crate) fn and(width: Width, a: &Domain, b: &Domain) -> Domain {
    Domain {
        max: a.max.min(b.max),
        zero: a.zero | b.zero,
        one: a.one & b.one,
        ..Domain::full(width)
    }
}

pub(crate) fn or(width: Width, a: &Domain, b: &Domain) -> Domain {
    Domain {
        min: a.min.max(b.min),
        zero: a.zero & b.zero,
        one: a.one | b.one,
        ..Domain::full(width)
    }
}

pub(crate) fn xor(width: Width, a: &Domain, b: &Domain) -> Domain {
    let sign = 1u128 << (width - 1);
    let ranges = match (a.value(), b.value()) {
        (_, Some(v)) if v == sign => exchanged(width, a),
        (Some(v), _) if v == sign => exchanged(width, b),
        _ => Domain::full(width),
    };
    Domain {
        zero: a.zero & b.zero | a.one & b.one,
        one: a.zero & b.one | a.one & b.zero,
        ..ranges
    }
}

/// Inverts the sign bit, which exchanges the two orders of numbers.
fn exchanged(width: Width, a: &Domain) -> Domain {
    let sign = 1u128 << (width - 1);
    let (m, to_signed) = (mask(width), |v| sign_extend(v ^ sign, width));
    Domain {
        min: a.smin as u128 & m ^ sign,
        max: a.smax as u128 & m ^ sign,
        smin: to_signed(a.min),
        smax: to_signed(a.max),
        ..Domain::full(width)
    }
}

pub(crate) fn shl(width: Width, a: &Domain, b: &Domain) -> Domain {
    let m = mask(width);
    if b.min >= width.into() {
        return Domain::constant(width, 0);
    }
    let mut d = Domain::full(width);
    if let Some(s) = b.value() {
        let s = s as u32;
        d.zero = (a.zero << s | mask(s)) & m;
        d.one = a.one << s & m;
    } else {
        d.zero = mask((u128::from(a.zero.trailing_ones()) + b.min).min(width.into()) as u32);
    }
    // What is shifted out at no end is a product.
    if b.max < width.into() && a.max << b.max >> b.max == a.max && a.max << b.max <= m {
        (d.min, d.max) = (a.min << b.min, a.max << b.max);
    }
    d
}

pub(crate) fn lshr(width: Width, a: &Domain, b: &Domain) -> Domain {
    let m = mask(width);
    let by = |v: u128, by: u128| if by >= width.into() { 0 } else { v >> by };
    let mut d = Domain::unsigned(width, by(a.min, b.max), by(a.max, b.min));
    if let Some(s) = b.value().filter(|s| *s < width.into()) {
        d.zero = a.zero >> s | m & !(m >> s);
        d.one = a.one >> s;
    }
    d
}

pub(crate) fn ashr(width: Width, a: &Domain, b: &Domain) -> Domain {
    let by = |v: i128, by: u128| v >> by.min(127);
    let low = if a.smin >= 0 { b.max } else { b.min };
    let high = if a.smax >= 0 { b.min } else { b.max };
    Domain::signed(width, by(a.smin, low), by(a.smax, high))
}

pub(crate) fn eq(_: Width, a: &Domain, b: &Domain) -> Domain {
    truth(a.value().is_some() && a.value() == b.value(), a.excludes(b))
}

pub(crate) fn ult(_: Width, a: &Domain, b: &Domain) -> Domain {
    truth(a.max < b.min, a.min >= b.max)
}

pub(crate) fn ule(_: Width, a: &Domain, b: &Domain) -> Domain {
    truth(a.max <= b.min, a.min > b.max)
}

pub(crate) fn slt(_: Width, a: &Domain, b: &Domain) -> Domain {
    truth(a.smax < b.smin, a.smin >= b.smax)
}

pub(crate) fn sle(_: Width, a: &Domain, b: &Domain) -> Domain {
    truth(a.smax <= b.smin, a.smin > b.smax)
}

pub(crate) fn umulo(width: Width, a: &Domain, b: &Domain) -> Domain {
    let fits = |x: u128, y: u128| x.checked_mul(y).is_some_and(|p| p <= mask(width));
    truth(!fits(a.min, b.min), fits(a.max, b.max))
}

pub(crate) fn smulo(width: Width, a: &Domain, b: &Domain) -> Domain {
    let range = SignedRange::full(width);
    match corners(a, b, i128::checked_mul) {
        Some((min, max)) => truth(
            max < range.min || min > range.max,
            min >= range.min && max <= range.max,
        ),
        None => Domain::full(1),
    }
}

pub(crate) fn fisnan(width: Width, a: &Domain) -> Domain {
    let numbers = float::are_numbers(width, a);
    truth(numbers == Some(false), numbers == Some(true))
}

pub(crate) fn feq(width: Width, a: &Domain, b: &Domain) -> Domain {
    let (holds, fails) = float::compare(BinOp::FEq, width, a, b);
    truth(holds, fails)
}

pub(crate) fn flt(width: Width, a: &Domain, b: &Domain) -> Domain {
    let (holds, fails) = float::compare(BinOp::FLt, width, a, b);
    truth(holds, fails)
}

pub(crate) fn fle(width: Width, a: &Domain, b: &Domain) -> Domain {
    let (holds, fails) = float::compare(BinOp::FLe, width, a, b);
    truth(holds, fails)
}

/// Converts a domain from `from` to `to` bits.
pub fn fcast(op: FCast, from: Width, to: Width, a: &Domain) -> Domain {
    float::cast(op, from, to, a)
}

/// Concatenates two domains, `hi` above `lo` of `lo_width` bits.
pub fn concat(lo_width: Width, hi: &Domain, lo: &Domain) -> Domain {
    Domain {
        min: hi.min << lo_width | lo.min,
        max: hi.max << lo_width | lo.max,
        smin: hi.smin << lo_width | lo.min as i128,
        smax: hi.smax << lo_width | lo.max as i128,
        zero: hi.zero << lo_width | lo.zero,
        one: hi.one << lo_width | lo.one,
    }
}

/// Extracts `width` bits from bit `lo` upwards, of a term of `from` bits.
pub fn extract(from: Width, a: &Domain, lo: Width, width: Width) -> Domain {
    let m = mask(width);
    let mut d = Domain {
        zero: a.zero >> lo & m,
        one: a.one >> lo & m,
        ..Domain::full(width)
    };
    // If nothing above the slice varies, it is monotonic.
    let (min, max) = (a.min >> lo, a.max >> lo);
    if min & !m == max & !m {
        (d.min, d.max) = (min & m, max & m);
    } else if lo == 0 && width == from - 1 {
        // The numbers of both signs, as those without one.
        let low = (a.smin as u128 & m).min(a.min);
        (d.min, d.max) = (low, (a.max & m).max(a.smax as u128));
    }
    let signed = SignedRange {
        min: a.smin >> lo,
        max: a.smax >> lo,
    };
    if lo + width == from || signed.fits(width).is_some() {
        (d.smin, d.smax) = (signed.min, signed.max);
    }
    d
}

/// Zero-extends a domain from `from` to `width` bits.
pub fn zext(from: Width, width: Width, a: &Domain) -> Domain {
    Domain {
        min: a.min,
        max: a.max,
        zero: a.zero | mask(width) & !mask(from),
        one: a.one,
        ..Domain::full(width)
    }
}

/// Sign-extends a domain from `from` to `width` bits.
pub fn sext(from: Width, width: Width, a: &Domain) -> Domain {
    let sign = 1u128 << (from - 1);
    let above = mask(width) & !mask(from);
    let spread = |bits: u128| bits | if bits & sign != 0 { above } else { 0 };
    Domain {
        smin: a.smin,
        smax: a.smax,
        zero: spread(a.zero),
        one: spread(a.one),
        ..Domain::full(width)
    }
}

/// Returns the known bits of a sum, with one more added if `carry` is set.
fn carried(width: Width, a: &Domain, b: &Domain, carry: bool) -> Domain {
    let m = mask(width);
    let carry = u128::from(carry);
    let highest = (!a.zero & m).wrapping_add(!b.zero & m).wrapping_add(carry);
    let lowest = a.one.wrapping_add(b.one).wrapping_add(carry);
    let carry_zero = !(highest ^ a.zero ^ b.zero);
    let carry_one = lowest ^ a.one ^ b.one;
    let known = (a.zero | a.one) & (b.zero | b.one) & (carry_zero | carry_one) & m;
    Domain {
        zero: !highest & known,
        one: lowest & known,
        ..Domain::full(width)
    }
}

/// Truncates the ends of a range to the width; `None` if they lose different bits above it.
fn wrapped(width: Width, min: Option<u128>, max: Option<u128>) -> Option<(u128, u128)> {
    let (min, max) = (min?, max?);
    let m = mask(width);
    (min & !m == max & !m).then_some((min & m, max & m))
}

fn set_unsigned(d: &mut Domain, range: Option<(u128, u128)>) {
    if let Some((min, max)) = range {
        (d.min, d.max) = (min, max);
    }
}

/// Sets a signed range if it fits the width, or overflows it as a whole in one direction.
fn set_signed(d: &mut Domain, width: Width, min: Option<i128>, max: Option<i128>) {
    let (Some(min), Some(max)) = (min, max) else {
        return;
    };
    let full = SignedRange::full(width);
    if full.min <= min && max <= full.max {
        (d.smin, d.smax) = (min, max);
    } else if width < 127 {
        let period = 1i128 << width;
        for turn in [-period, period] {
            let (low, high) = (min.saturating_add(turn), max.saturating_add(turn));
            if full.min <= low && high <= full.max {
                (d.smin, d.smax) = (low, high);
            }
        }
    }
}

/// Returns the least and greatest result of `op` on the ends of the ranges, for an operator that is
/// monotonic in each operand.
pub fn corners(
    a: &Domain,
    b: &Domain,
    op: impl Fn(i128, i128) -> Option<i128>,
) -> Option<(i128, i128)> {
    let all = [
        op(a.smin, b.smin)?,
        op(a.smin, b.smax)?,
        op(a.smax, b.smin)?,
        op(a.smax, b.smax)?,
    ];
    let min = all.iter().copied().fold(all[0], i128::min);
    let max = all.iter().copied().fold(all[0], i128::max);
    Some((min, max))
}
