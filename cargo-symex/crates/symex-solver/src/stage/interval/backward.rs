//! Backward transfer functions, from the domain of a result to those of the operands: the
//! projections of HC4-revise (F. Benhamou, F. Goualard, L. Granvilliers, J.-F. Puget, *Revising
//! Hull and Box Consistency*, ICLP 1999, sec. 3), for bit-vectors.
//!
//! Invariant: all values of the operands that give a value of the result's domain are in the
//! domains returned, which may be empty (a range that ends before it starts) and need not be within
//! the operands' own.

use super::float;
use symex_terms::Domain;
use symex_terms::domain::transfer::{self, corners};
use symex_terms::eval::sign_extend;
use symex_terms::{BinOp, FCast, SignedRange, UnOp, Width, mask};

/// Narrows the operand of a unary operator.
pub(super) fn un(op: UnOp, width: Width, d: &Domain, a: &Domain) -> Domain {
    if op.is_float() {
        return float::un(op, width, d, a).unwrap_or(nothing(width));
    }
    let m = mask(width);
    let bits = u128::from(width);
    match op {
        UnOp::Not => transfer::un(UnOp::Not, width, d),
        UnOp::Popcount if d.max == 0 => Domain::constant(width, 0),
        UnOp::Popcount if d.min >= bits => Domain::constant(width, m),
        UnOp::Clz => {
            let max = if d.min >= bits { 0 } else { m >> d.min };
            let min = if d.max >= bits {
                0
            } else {
                (m >> 1 >> d.max) + 1
            };
            Domain::unsigned(width, min, max)
        }
        UnOp::Ctz => Domain {
            zero: mask(d.min.min(bits) as u32),
            one: d.value().filter(|v| *v < bits).map_or(0, |v| 1 << v),
            ..Domain::full(width)
        },
        _ => Domain::full(width),
    }
}

/// Narrows the operand of a conversion from `from` to `to` bits.
pub(super) fn fcast(op: FCast, from: Width, to: Width, d: &Domain, a: &Domain) -> Domain {
    float::fcast(op, from, to, d, a).unwrap_or(nothing(from))
}

/// Narrows the operands of a binary operator.
pub(super) fn bin(op: BinOp, width: Width, d: &Domain, a: &Domain, b: &Domain) -> (Domain, Domain) {
    use BinOp::*;
    let m = mask(width);
    let full = Domain::full(width);
    match op {
        Add => (
            transfer::bin(Sub, width, d, b),
            transfer::bin(Sub, width, d, a),
        ),
        Sub => (
            transfer::bin(Add, width, d, b),
            transfer::bin(Sub, width, a, d),
        ),
        Mul => (factor(width, d, a, b), factor(width, d, b, a)),
        UDiv => quotient(width, d, a, b),
        URem => remainder(width, d, a, b),
        SDiv => (signed_dividend(width, d, b), full),
        SRem => (signed_divided(width, d, a, b), full),
        And => (
            Domain {
                min: d.min,
                one: d.one,
                zero: d.zero & b.one,
                ..full
            },
            Domain {
                min: d.min,
                one: d.one,
                zero: d.zero & a.one,
                ..full
            },
        ),
        Or => (
            Domain {
                max: d.max,
                zero: d.zero,
                one: d.one & b.zero,
                ..full
            },
            Domain {
                max: d.max,
                zero: d.zero,
                one: d.one & a.zero,
                ..full
            },
        ),
        Xor => (
            transfer::bin(Xor, width, d, b),
            transfer::bin(Xor, width, d, a),
        ),
        Shl | LShr | AShr => (shifted(op, width, d, a, b), full),
        Eq | ULt | ULe | SLt | SLe => match d.value() {
            Some(v) => compared(op, width, v == 1, a, b),
            None => (full, full),
        },
        FEq | FLt | FLe => match d.value() {
            Some(v) => float::compared(op, width, v == 1, a, b).unwrap_or((nothing(width), full)),
            None => (full, full),
        },
        UMulO => match d.value() {
            // Division by zero bounds nothing.
            Some(0) => (
                Domain::unsigned(width, 0, m.checked_div(b.min).unwrap_or(m)),
                Domain::unsigned(width, 0, m.checked_div(a.min).unwrap_or(m)),
            ),
            Some(_) => {
                let least = |other: &Domain| match m.checked_div(other.max) {
                    Some(q) if q < m => Domain::unsigned(width, q + 1, m),
                    // Times nothing or one, nothing is too much.
                    _ => nothing(width),
                };
                (least(b), least(a))
            }
            None => (full, full),
        },
        SMulO if d.is(false) => {
            let range = SignedRange::full(width);
            let bound = |other: &Domain| match other.value() {
                Some(_) => divided(width, range.min, range.max, other.smin),
                None => full,
            };
            (bound(b), bound(a))
        }
        _ => (full, full),
    }
}

/// Narrows the high and the low part of a concatenation.
pub(super) fn concat(
    widths: (Width, Width),
    d: &Domain,
    hi: &Domain,
    lo: &Domain,
) -> (Domain, Domain) {
    let (wh, wl) = widths;
    let m = mask(wl);
    let high = Domain {
        min: d.min >> wl,
        max: d.max >> wl,
        smin: d.smin >> wl,
        smax: d.smax >> wl,
        zero: d.zero >> wl,
        one: d.one >> wl,
    };
    let mut low = Domain {
        zero: d.zero & m,
        one: d.one & m,
        ..Domain::full(wl)
    };
    // The high part may be narrower than the whole says already.
    let (least, most) = (high.min.max(hi.min), high.max.min(hi.max));
    if least == most {
        low.min = if d.min >> wl == least { d.min & m } else { 0 };
        low.max = if d.max >> wl == most { d.max & m } else { m };
    }
    // Where the low part cannot reach the end, the high part cannot be the end's.
    let mut high = high;
    if d.min & m > lo.max {
        high.min += 1;
    }
    if d.max & m < lo.min {
        match high.max.checked_sub(1) {
            Some(v) => high.max = v,
            None => return (nothing(wh), low),
        }
    }
    (high, low)
}

/// Narrows the operand of an extract of `width` bits from bit `lo` upwards, of `from` bits.
pub(super) fn extract(from: Width, d: &Domain, a: &Domain, lo: Width, width: Width) -> Domain {
    let mut of = Domain {
        zero: d.zero << lo,
        one: d.one << lo,
        ..Domain::full(from)
    };
    if width + lo < 128 {
        let period = 1u128 << width;
        match residues((a.min >> lo, a.max >> lo), period, (d.min, d.max)) {
            None => return nothing(from),
            Some((min, max)) => {
                (of.min, of.max) = (min << lo, max << lo | mask(lo));
            }
        }
    } else {
        (of.min, of.max) = (d.min << lo, d.max << lo | mask(lo));
    }
    if lo == 0 && width == from - 1 {
        // All but the sign: numbers of both signs, in their own order each.
        (of.smin, of.smax) = (of.smin + d.min as i128, d.max as i128);
    }
    of
}

/// Narrows the operand of a zero-extension.
pub(super) fn zext(from: Width, d: &Domain) -> Domain {
    let m = mask(from);
    Domain {
        min: d.min,
        max: d.max.min(m),
        zero: d.zero & m,
        one: d.one & m,
        ..Domain::full(from)
    }
}

/// Narrows the operand of a sign-extension.
pub(super) fn sext(from: Width, d: &Domain) -> Domain {
    let full = Domain::full(from);
    Domain {
        smin: d.smin.max(full.smin),
        smax: d.smax.min(full.smax),
        zero: d.zero & mask(from),
        one: d.one & mask(from),
        ..full
    }
}

/// Makes the empty domain.
pub(super) fn nothing(width: Width) -> Domain {
    Domain::unsigned(width, 1, 0)
}

/// Moves the ends of a range inwards to the nearest numbers whose remainders are in `wanted`.
fn residues(range: (u128, u128), period: u128, wanted: (u128, u128)) -> Option<(u128, u128)> {
    let ((min, max), (first, last)) = (range, wanted);
    let last = last.min(period - 1);
    if first > last {
        return None;
    }
    let at = min % period;
    let min = if at < first {
        min.checked_add(first - at)?
    } else if at > last {
        min.checked_add(period - at)?.checked_add(first)?
    } else {
        min
    };
    let at = max % period;
    let max = if at > last {
        max - (at - last)
    } else if at < first {
        max.checked_sub(at)?.checked_sub(period - last)?
    } else {
        max
    };
    (min <= max).then_some((min, max))
}

/// Returns the numbers of a width that multiplied by `k` are from `min` to `max`.
pub(super) fn divided(width: Width, min: i128, max: i128, k: i128) -> Domain {
    let (low, high) = if k < 0 {
        match (max.checked_neg(), min.checked_neg()) {
            (Some(low), Some(high)) => (low, high),
            _ => return Domain::full(width),
        }
    } else {
        (min, max)
    };
    let Some(k) = k.checked_abs().filter(|k| *k != 0) else {
        return Domain::full(width);
    };
    let full = SignedRange::full(width);
    let up = low.div_euclid(k) + i128::from(low.rem_euclid(k) != 0);
    let down = high.div_euclid(k);
    if up > full.max || down < full.min {
        return nothing(width);
    }
    Domain::signed(width, up.max(full.min), down.min(full.max))
}

/// Narrows `x` of `x * y = d`.
fn factor(width: Width, d: &Domain, x: &Domain, y: &Domain) -> Domain {
    let m = mask(width);
    let full = Domain::full(width);
    let mut result = full;
    if x.max.checked_mul(y.max).is_some_and(|p| p <= m) {
        // Nothing is lost above the width.
        if let Some(max) = d.max.checked_div(y.min) {
            result.max = max;
        }
        match d.min.checked_div(y.max) {
            Some(q) => result.min = q + u128::from(q * y.max != d.min),
            None if d.min > 0 => return nothing(width),
            None => {}
        }
        return result;
    }
    let Some(k) = y.value().filter(|k| *k != 0) else {
        return full;
    };
    let range = SignedRange::full(width);
    if let Some((min, max)) = corners(x, y, i128::checked_mul)
        && range.min <= min
        && max <= range.max
    {
        result = divided(width, d.smin, d.smax, y.smin);
    }
    // The low bits of an odd number's product tell its own.
    let shift = k.trailing_zeros();
    let bits = (d.zero | d.one).trailing_ones().min(width);
    if bits > shift {
        let bits = bits - shift;
        let low = (d.one >> shift).wrapping_mul(inverse(k >> shift)) & mask(bits);
        result.one |= low;
        result.zero |= !low & mask(bits);
    }
    result
}

/// Returns the inverse of an odd number modulo 2^128: Newton's iteration doubles the correct bits.
fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

/// Narrows dividend and divisor of an unsigned quotient.
fn quotient(width: Width, d: &Domain, a: &Domain, b: &Domain) -> (Domain, Domain) {
    let m = mask(width);
    let mut divisor = Domain::full(width);
    // A division by zero gives all ones.
    if d.max < m {
        divisor.min = 1;
    }
    let least = b.min.max(divisor.min);
    if least == 0 {
        return (Domain::full(width), divisor);
    }
    if b.max < least {
        return (nothing(width), divisor);
    }
    // d * b <= a < (d + 1) * b
    let min = d.min.checked_mul(least);
    let above = d.max.checked_add(1).and_then(|q| q.checked_mul(b.max));
    let dividend = match min.filter(|min| *min <= m) {
        Some(min) => Domain::unsigned(width, min, above.map_or(m, |v| (v - 1).min(m))),
        None => nothing(width),
    };
    if let Some(max) = a.max.checked_div(d.min) {
        divisor.max = max;
    }
    if let Some(over) = d.max.checked_add(1) {
        divisor.min = divisor.min.max(a.min / over + 1);
    }
    (dividend, divisor)
}

/// Narrows dividend and divisor of an unsigned remainder.
fn remainder(width: Width, d: &Domain, a: &Domain, b: &Domain) -> (Domain, Domain) {
    let m = mask(width);
    let full = Domain::full(width);
    // It is never above the dividend.
    let mut dividend = Domain::unsigned(width, d.min, m);
    if b.min == 0 {
        return (dividend, full);
    }
    // Below the divisor; and a divisor above the dividend would leave that.
    let mut divisor = full;
    match d.min.checked_add(1).filter(|v| *v <= m) {
        Some(least) => divisor.min = least,
        None => return (nothing(width), full),
    }
    if d.max < a.min {
        divisor.max = a.max;
    }
    if let Some(k) = b.value() {
        match residues((a.min, a.max), k, (d.min, d.max)) {
            None => return (nothing(width), full),
            Some((min, max)) => (dividend.min, dividend.max) = (min, max),
        }
        let low = mask(k.trailing_zeros());
        (dividend.zero, dividend.one) = (d.zero & low, d.one & low);
    }
    (dividend, divisor)
}

/// Narrows the dividend of a signed quotient.
fn signed_dividend(width: Width, d: &Domain, b: &Domain) -> Domain {
    let full = Domain::full(width);
    let k = match b.value() {
        Some(_) if b.smin > 0 => b.smin,
        _ => return full,
    };
    // Quotients are cut towards zero.
    let min = match d.smin {
        q if q > 0 => q.checked_mul(k),
        q => q.checked_mul(k).and_then(|v| v.checked_sub(k - 1)),
    };
    let max = match d.smax {
        q if q < 0 => q.checked_mul(k),
        q => q.checked_mul(k).and_then(|v| v.checked_add(k - 1)),
    };
    let min = min.unwrap_or(if d.smin > 0 { i128::MAX } else { full.smin });
    let max = max.unwrap_or(if d.smax < 0 { i128::MIN } else { full.smax });
    Domain::signed(width, min.max(full.smin), max.min(full.smax))
}

/// Narrows the dividend of a signed remainder.
fn signed_divided(width: Width, d: &Domain, a: &Domain, b: &Domain) -> Domain {
    let full = Domain::full(width);
    if b.smin <= 0 && b.smax >= 0 {
        return full;
    }
    // The sign is the dividend's, and the size no more than its.
    let mut result = full;
    if d.smin > 0 {
        result.smin = d.smin;
    } else if d.smax < 0 {
        result.smax = d.smax;
    }
    let Some(k) = b.value().map(|_| b.smin.unsigned_abs()) else {
        return result;
    };
    let low = mask(b.min.trailing_zeros());
    (result.zero, result.one) = (d.zero & low, d.one & low);
    let (smin, smax) = (a.smin.max(result.smin), a.smax.min(result.smax));
    if smin > smax {
        return nothing(width);
    }
    if smin >= 0 {
        let wanted = (d.smin.max(0) as u128, d.smax.max(0) as u128);
        if d.smax < 0 {
            return nothing(width);
        }
        match residues((smin as u128, smax as u128), k, wanted) {
            None => return nothing(width),
            Some((min, max)) => (result.smin, result.smax) = (min as i128, max as i128),
        }
    } else if smax <= 0 {
        if d.smin > 0 {
            return nothing(width);
        }
        let wanted = (d.smax.min(0).unsigned_abs(), d.smin.unsigned_abs());
        match residues((smax.unsigned_abs(), smin.unsigned_abs()), k, wanted) {
            None => return nothing(width),
            Some((min, max)) => {
                // Sizes up to 2^127, which has no positive number.
                result.smax = (min as i128).wrapping_neg();
                result.smin = (max as i128).wrapping_neg();
            }
        }
    }
    result
}

/// Narrows the first operand of a shift by a known number of bits.
fn shifted(op: BinOp, width: Width, d: &Domain, a: &Domain, b: &Domain) -> Domain {
    let m = mask(width);
    let full = Domain::full(width);
    let Some(s) = b
        .value()
        .filter(|s| *s < u128::from(width))
        .map(|s| s as u32)
    else {
        return full;
    };
    let mut result = full;
    match op {
        BinOp::Shl => {
            let kept = m >> s;
            (result.zero, result.one) = (d.zero >> s & kept, d.one >> s & kept);
            if a.max <= kept {
                result.min = (d.min >> s) + u128::from(d.min & mask(s) != 0);
                result.max = d.max >> s;
            }
        }
        BinOp::LShr => {
            (result.zero, result.one) = (d.zero << s & m, d.one << s & m);
            if d.min > m >> s {
                return nothing(width);
            }
            result.min = d.min << s;
            result.max = d.max.min(m >> s) << s | mask(s);
        }
        _ => {
            let kept = m >> s;
            (result.zero, result.one) = ((d.zero & kept) << s, (d.one & kept) << s);
            let (low, high) = (full.smin >> s, full.smax >> s);
            if d.smin > high || d.smax < low {
                return nothing(width);
            }
            result.smin = d.smin.max(low) << s;
            result.smax = d.smax.min(high) << s | mask(s) as i128;
        }
    }
    result
}

/// Narrows the sides of a comparison that holds or does not.
fn compared(op: BinOp, width: Width, holds: bool, a: &Domain, b: &Domain) -> (Domain, Domain) {
    use BinOp::*;
    let m = mask(width);
    let full = Domain::full(width);
    let range = SignedRange::full(width);
    match (op, holds) {
        (Eq, true) => (*b, *a),
        (Eq, false) => (without(width, a, b), without(width, b, a)),
        (ULt, true) => match (b.max.checked_sub(1), a.min < m) {
            (Some(max), true) => (
                Domain::unsigned(width, 0, max),
                Domain::unsigned(width, a.min + 1, m),
            ),
            _ => (nothing(width), full),
        },
        (ULt, false) => (
            Domain::unsigned(width, b.min, m),
            Domain::unsigned(width, 0, a.max),
        ),
        (ULe, true) => (
            Domain::unsigned(width, 0, b.max),
            Domain::unsigned(width, a.min, m),
        ),
        (ULe, false) => {
            let (y, x) = compared(ULt, width, true, b, a);
            (x, y)
        }
        (SLt, true) if b.smax == range.min || a.smin == range.max => (nothing(width), full),
        (SLt, true) => (
            Domain::signed(width, range.min, b.smax - 1),
            Domain::signed(width, a.smin + 1, range.max),
        ),
        (SLt, false) => (
            Domain::signed(width, b.smin, range.max),
            Domain::signed(width, range.min, a.smax),
        ),
        (SLe, true) => (
            Domain::signed(width, range.min, b.smax),
            Domain::signed(width, a.smin, range.max),
        ),
        _ => {
            let (y, x) = compared(SLt, width, true, b, a);
            (x, y)
        }
    }
}

/// Narrows a term that differs from another one, if that has a single value: an end equal to it is
/// cut off.
fn without(width: Width, a: &Domain, b: &Domain) -> Domain {
    let mut d = Domain::full(width);
    let Some(v) = b.value() else {
        return d;
    };
    if a.min == v {
        // At the top, nothing is left.
        match v.checked_add(1).filter(|v| *v <= mask(width)) {
            Some(min) => d.min = min,
            None => return nothing(width),
        }
    }
    if a.max == v {
        match v.checked_sub(1) {
            Some(max) => d.max = max,
            None => return nothing(width),
        }
    }
    let signed = sign_extend(v, width);
    if a.smin == signed && signed < d.smax {
        d.smin = signed + 1;
    }
    if a.smax == signed && signed > d.smin {
        d.smax = signed - 1;
    }
    d
}
