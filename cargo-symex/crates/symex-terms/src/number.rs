//! Concrete semantics of the operators of `node`, on numbers of 1 to 128 bits.
//!
//! Invariant: operands and results have no bits above their width. Floats are computed natively in
//! their own precision (those of 80 and 128 bits in `extended`); operations on 16 bits are exact in
//! a wider format before they are rounded once. Every NaN that an operation makes is the canonical
//! one (quiet, positive, empty payload), so that results are deterministic.

pub use symex_types::bits::sign_extend;

use super::extended;
use super::node::Width;
use super::op::{BinOp, FCast, Rounding, UnOp};
use std::cmp::Ordering;
use symex_types::bits::mask;

/// Computes a unary operator on an operand of `width` bits.
#[inline]
pub fn un(op: UnOp, width: Width, a: u128) -> u128 {
    (op.info().eval)(width, a)
}

/// Computes a binary operator on operands of `width` bits.
#[inline]
pub fn bin(op: BinOp, width: Width, a: u128, b: u128) -> u128 {
    (op.info().eval)(width, a, b)
}

/// Computes the signed quotient. Division by zero gives 1 for negative and all ones for other
/// dividends.
pub(super) fn sdiv(width: Width, a: u128, b: u128) -> u128 {
    let x = sign_extend(a, width);
    match sign_extend(b, width) {
        0 if x < 0 => 1,
        0 => mask(width),
        y => x.wrapping_div(y) as u128 & mask(width),
    }
}

/// Computes the signed remainder. Division by zero gives the dividend.
pub(super) fn srem(width: Width, a: u128, b: u128) -> u128 {
    match sign_extend(b, width) {
        0 => a,
        y => sign_extend(a, width).wrapping_rem(y) as u128 & mask(width),
    }
}

/// Reports whether the signed product overflows the width.
pub(super) fn smulo(width: Width, a: u128, b: u128) -> u128 {
    let product = sign_extend(a, width).checked_mul(sign_extend(b, width));
    product
        .is_none_or(|p| sign_extend(p as u128, width) != p)
        .into()
}

/// Computes the square root of a float.
pub(super) fn fsqrt(width: Width, a: u128) -> u128 {
    match width {
        16 => pack_f16((widen_f16(a) as f64).sqrt()),
        32 => bits32(f32::from_bits(a as u32).sqrt()),
        64 => bits64(f64::from_bits(a as u64).sqrt()),
        _ => extended::sqrt(width, a),
    }
}

/// Rounds a float to an integral float.
pub(super) fn fround(to: Rounding, width: Width, a: u128) -> u128 {
    match width {
        16 => pack_f16(round(to, widen_f16(a) as f64)),
        32 => bits32(round(to, f32::from_bits(a as u32) as f64) as f32),
        64 => bits64(round(to, f64::from_bits(a as u64))),
        _ => extended::round(to, width, a),
    }
}

/// Declares the arithmetic of floats: each natively in its own precision, except for 16 bits, which
/// are computed exactly in a wider format.
macro_rules! float_arithmetic {
    ($($name:ident: $op:tt, $extended:expr;)*) => {$(
        pub(super) fn $name(width: Width, a: u128, b: u128) -> u128 {
            match width {
                16 => pack_f16(widen_f16(a) as f64 $op widen_f16(b) as f64),
                32 => bits32(f32::from_bits(a as u32) $op f32::from_bits(b as u32)),
                64 => bits64(f64::from_bits(a as u64) $op f64::from_bits(b as u64)),
                _ => extended::arith($extended, width, a, b),
            }
        }
    )*};
}

float_arithmetic! {
    fadd: +, BinOp::FAdd;
    fsub: -, BinOp::FSub;
    fmul: *, BinOp::FMul;
    fdiv: /, BinOp::FDiv;
    frem: %, BinOp::FRem;
}

/// Reports whether two floats are equal.
pub(super) fn feq(width: Width, a: u128, b: u128) -> u128 {
    order(width, a, b).is_some_and(Ordering::is_eq).into()
}

/// Reports whether a float is less than another.
pub(super) fn flt(width: Width, a: u128, b: u128) -> u128 {
    order(width, a, b).is_some_and(Ordering::is_lt).into()
}

/// Reports whether a float is less than or equal to another.
pub(super) fn fle(width: Width, a: u128, b: u128) -> u128 {
    order(width, a, b).is_some_and(Ordering::is_le).into()
}

/// Computes a conversion from `from` to `to` bits.
pub fn fcast(op: FCast, from: Width, to: Width, a: u128) -> u128 {
    let extended = match op {
        FCast::ToSigned | FCast::ToUnsigned => extended::is_extended(from),
        FCast::FromSigned | FCast::FromUnsigned => extended::is_extended(to),
        FCast::Float => extended::is_extended(from) || extended::is_extended(to),
    };
    if extended {
        return extended::fcast(op, from, to, a);
    }
    match op {
        FCast::ToSigned => {
            let (min, max) = (-1i128 << (to - 1), (mask(to) >> 1) as i128);
            (widen(from, a) as i128).clamp(min, max) as u128 & mask(to)
        }
        FCast::ToUnsigned => (widen(from, a) as u128).min(mask(to)),
        FCast::FromSigned => {
            let v = sign_extend(a, from);
            match to {
                16 => round_f16(v < 0, v.unsigned_abs(), 0),
                32 => bits32(v as f32),
                64 => bits64(v as f64),
                _ => not_a_float(to),
            }
        }
        FCast::FromUnsigned => match to {
            16 => round_f16(false, a, 0),
            32 => bits32(a as f32),
            64 => bits64(a as f64),
            _ => not_a_float(to),
        },
        FCast::Float => match to {
            16 => pack_f16(widen(from, a)),
            32 => bits32(widen(from, a) as f32),
            64 => bits64(widen(from, a)),
            _ => not_a_float(to),
        },
    }
}

/// Computes the fused multiply-add.
pub fn fma(width: Width, a: u128, b: u128, c: u128) -> u128 {
    match width {
        16 => fma_f16(a, b, c),
        32 => bits32(
            f32::from_bits(a as u32).mul_add(f32::from_bits(b as u32), f32::from_bits(c as u32)),
        ),
        64 => bits64(
            f64::from_bits(a as u64).mul_add(f64::from_bits(b as u64), f64::from_bits(c as u64)),
        ),
        _ => extended::fma(width, a, b, c),
    }
}

/// Reports whether there is a float format of this width.
pub fn is_float_width(width: Width) -> bool {
    matches!(width, 16 | 32 | 64) || extended::is_extended(width)
}

/// Returns the canonical NaN, which all operations give.
pub fn canonical_nan(width: Width) -> u128 {
    match width {
        16 => 0x7e00,
        32 => 0x7fc0_0000,
        64 => 0x7ff8_0000_0000_0000,
        80 => 0x7fff_c000_0000_0000_0000,
        128 => 0x7fff_8000 << 96,
        _ => not_a_float(width),
    }
}

/// Reports whether the bits are a NaN.
pub fn is_nan(width: Width, a: u128) -> bool {
    let infinity = match width {
        16 => 0x7c00,
        32 => 0x7f80_0000,
        64 => 0x7ff0_0000_0000_0000,
        _ => return extended::is_nan(width, a),
    };
    a & (mask(width) >> 1) > infinity
}

/// Panics for a width without float format. The constructors refuse such terms, so no other width
/// gets here.
fn not_a_float(width: Width) -> ! {
    unreachable!("no float has {width} bits")
}

fn bits32(v: f32) -> u128 {
    if v.is_nan() {
        canonical_nan(32)
    } else {
        v.to_bits() as u128
    }
}

fn bits64(v: f64) -> u128 {
    if v.is_nan() {
        canonical_nan(64)
    } else {
        v.to_bits() as u128
    }
}

/// Converts a float of up to 64 bits to a double, exactly.
fn widen(width: Width, a: u128) -> f64 {
    match width {
        16 => widen_f16(a) as f64,
        32 => f32::from_bits(a as u32) as f64,
        64 => f64::from_bits(a as u64),
        _ => not_a_float(width),
    }
}

/// Compares two floats; `None` with a NaN.
fn order(width: Width, a: u128, b: u128) -> Option<Ordering> {
    if extended::is_extended(width) {
        extended::order(width, a, b)
    } else {
        widen(width, a).partial_cmp(&widen(width, b))
    }
}

fn round(r: Rounding, v: f64) -> f64 {
    match r {
        Rounding::NearestEven => v.round_ties_even(),
        Rounding::NearestAway => v.round(),
        Rounding::Zero => v.trunc(),
        Rounding::Up => v.ceil(),
        Rounding::Down => v.floor(),
    }
}

/// Converts a 16-bit float to 32 bits, exactly.
fn widen_f16(a: u128) -> f32 {
    let (sign, exponent, fraction) = (a as u32 >> 15, a as u32 >> 10 & 31, a as u32 & 0x3ff);
    let magnitude = match exponent {
        0 => fraction as f32 * f32::from_bits(103 << 23), // 2^-24
        31 => f32::from_bits(0x7f80_0000 | fraction << 13),
        _ => f32::from_bits((exponent + 112) << 23 | fraction << 13),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

/// Rounds to a 16-bit float, to nearest even.
///
/// Rounding a sum, product, quotient or root of 16-bit floats to 64 bits first does no harm: 53
/// bits of precision are more than twice 11 bits plus two.
fn pack_f16(v: f64) -> u128 {
    if v.is_nan() {
        return canonical_nan(16);
    }
    let bits = v.to_bits();
    let (negative, exponent, fraction) =
        (bits >> 63 == 1, bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
    match exponent {
        0 => (negative as u128) << 15, // far below the smallest 16-bit float
        0x7ff => (negative as u128) << 15 | 0x7c00,
        _ => round_f16(
            negative,
            (fraction | 1 << 52) as u128,
            exponent as i32 - 1075,
        ),
    }
}

/// Returns the 16-bit float nearest to `magnitude * 2^scale`, ties to even.
fn round_f16(negative: bool, magnitude: u128, scale: i32) -> u128 {
    let sign = (negative as u128) << 15;
    if magnitude == 0 {
        return sign;
    }
    // Exponent of the leading bit, and of the last bit that the result has room for.
    let top = 127 - magnitude.leading_zeros() as i32 + scale;
    if top > 15 {
        return sign | 0x7c00;
    }
    let last = (top - 10).max(-24);
    let drop = last - scale;
    let kept = match drop {
        ..=0 => magnitude << -drop,
        1..=127 => {
            let (kept, rest, half) = (
                magnitude >> drop,
                magnitude & mask(drop as Width),
                1 << (drop - 1),
            );
            kept + (rest > half || rest == half && kept & 1 == 1) as u128
        }
        _ => 0,
    };
    // A carry out of the fraction runs into the exponent, which is what it should do, up to
    // infinity.
    sign | if kept < 1 << 10 {
        kept
    } else {
        (((last + 24) as u128) << 10) + kept
    }
}

fn fma_f16(a: u128, b: u128, c: u128) -> u128 {
    let (x, y, z) = (
        widen_f16(a) as f64,
        widen_f16(b) as f64,
        widen_f16(c) as f64,
    );
    let product = x * y; // exact
    if !product.is_finite() || !z.is_finite() || product == 0.0 || z == 0.0 {
        return pack_f16(product + z);
    }
    // Every 16-bit float is a multiple of 2^-24: the sum is exact as a multiple of 2^-48.
    let exact = |v: f64| (v * 281_474_976_710_656.0) as i128;
    let sum = exact(product) + exact(z);
    if sum == 0 {
        return 0;
    }
    round_f16(sum < 0, sum.unsigned_abs(), -48)
}

#[cfg(test)]
#[path = "number_tests.rs"]
mod tests;
