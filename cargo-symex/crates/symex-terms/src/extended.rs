//! Floats wider than a machine word: of 80 bits (x87's, C's `long double` on x86-64) and of 128
//! bits (binary128).
//!
//! They are computed by LLVM's own software floats, so results equal those of LLVM's constant
//! folding. The 80-bit format has an explicit integer bit: a number that has it cleared although
//! its exponent requires it counts as NaN, as on the processor.

use super::build::mask;
use super::node::Width;
use super::number::{canonical_nan, sign_extend};
use super::op::{BinOp, FCast, Rounding};
use rustc_apfloat::ieee::{Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};
use std::cmp::Ordering;

/// Reports whether the width is that of an extended float: 80 or 128 bits.
pub fn is_extended(width: Width) -> bool {
    matches!(width, 80 | 128)
}

/// Calls a generic function for the float format of a width.
macro_rules! by_format {
    ($width:expr, $f:ident($($x:expr),*)) => {
        match $width {
            16 => $f::<Half>($($x),*),
            32 => $f::<Single>($($x),*),
            64 => $f::<Double>($($x),*),
            80 => $f::<X87DoubleExtended>($($x),*),
            128 => $f::<Quad>($($x),*),
            width => unreachable!("no float has {width} bits"),
        }
    };
}

/// Returns the bits of a result, with NaNs made canonical.
fn bits<F: Float>(x: F) -> u128 {
    if x.is_nan() {
        canonical_nan(F::BITS as Width)
    } else {
        x.to_bits()
    }
}

/// Reports whether the bits are a NaN.
pub fn is_nan(width: Width, a: u128) -> bool {
    fn ask<F: Float>(a: u128) -> bool {
        F::from_bits(a).is_nan()
    }
    by_format!(width, ask(a))
}

/// Computes a sum, difference, product, quotient or remainder.
pub fn arith(op: BinOp, width: Width, a: u128, b: u128) -> u128 {
    fn make<F: Float>(op: BinOp, a: u128, b: u128) -> u128 {
        let (a, b) = (F::from_bits(a), F::from_bits(b));
        bits(match op {
            BinOp::FAdd => (a + b).value,
            BinOp::FSub => (a - b).value,
            BinOp::FMul => (a * b).value,
            BinOp::FDiv => (a / b).value,
            _ => a.c_fmod(b).value,
        })
    }
    by_format!(width, make(op, a, b))
}

/// Computes the fused multiply-add.
pub fn fma(width: Width, a: u128, b: u128, c: u128) -> u128 {
    fn make<F: Float>(a: u128, b: u128, c: u128) -> u128 {
        bits(
            F::from_bits(a)
                .mul_add(F::from_bits(b), F::from_bits(c))
                .value,
        )
    }
    by_format!(width, make(a, b, c))
}

/// Compares two numbers; `None` with a NaN.
pub fn order(width: Width, a: u128, b: u128) -> Option<Ordering> {
    fn make<F: Float>(a: u128, b: u128) -> Option<Ordering> {
        F::from_bits(a).partial_cmp(&F::from_bits(b))
    }
    by_format!(width, make(a, b))
}

/// Rounds to an integral value.
pub fn round(r: Rounding, width: Width, a: u128) -> u128 {
    fn make<F: Float>(r: Round, a: u128) -> u128 {
        bits(F::from_bits(a).round_to_integral(r).value)
    }
    let r = match r {
        Rounding::NearestEven => Round::NearestTiesToEven,
        Rounding::NearestAway => Round::NearestTiesToAway,
        Rounding::Zero => Round::TowardZero,
        Rounding::Up => Round::TowardPositive,
        Rounding::Down => Round::TowardNegative,
    };
    by_format!(width, make(r, a))
}

/// Converts a float of `from` bits, or to a float of `to` bits.
pub fn fcast(op: FCast, from: Width, to: Width, a: u128) -> u128 {
    fn to_integer<F: Float>(op: FCast, to: Width, a: u128) -> u128 {
        let (x, m) = (F::from_bits(a), mask(to));
        match op {
            FCast::ToSigned => {
                let (min, max) = (-1i128 << (to - 1), (m >> 1) as i128);
                x.to_i128(128).value.clamp(min, max) as u128 & m
            }
            _ => x.to_u128(128).value.min(m),
        }
    }
    fn from_integer<F: Float>(op: FCast, from: Width, a: u128) -> u128 {
        bits(match op {
            FCast::FromSigned => F::from_i128(sign_extend(a, from)).value,
            _ => F::from_u128(a).value,
        })
    }
    match op {
        FCast::ToSigned | FCast::ToUnsigned => by_format!(from, to_integer(op, to, a)),
        FCast::FromSigned | FCast::FromUnsigned => by_format!(to, from_integer(op, from, a)),
        FCast::Float => by_format!(from, convert(to, a)),
    }
}

/// Converts from one format to another, to nearest even.
fn convert<F>(to: Width, a: u128) -> u128
where
    F: Float
        + FloatConvert<Half>
        + FloatConvert<Single>
        + FloatConvert<Double>
        + FloatConvert<X87DoubleExtended>
        + FloatConvert<Quad>,
{
    fn into<F: FloatConvert<T>, T: Float>(x: F) -> u128 {
        bits(x.convert(&mut false).value)
    }
    let x = F::from_bits(a);
    match to {
        16 => into::<F, Half>(x),
        32 => into::<F, Single>(x),
        64 => into::<F, Double>(x),
        80 => into::<F, X87DoubleExtended>(x),
        128 => into::<F, Quad>(x),
        _ => unreachable!("no float has {to} bits"),
    }
}

/// Computes the square root, rounded to nearest even. The library has none.
pub fn sqrt(width: Width, a: u128) -> u128 {
    by_format!(width, root(a))
}

/// Computes the square root digit by digit. The number is `s * 2^e` with an `s` of as many bits as
/// the format has. Shifted to the left by that many bits or one less, whichever leaves an even
/// exponent, it has an integer root of exactly that many bits. The remainder decides the rounding;
/// a tie is not possible.
fn root<F: Float>(a: u128) -> u128 {
    let x = F::from_bits(a);
    if x.is_nan() || x.is_zero() || x.is_infinite() && !x.is_negative() {
        return bits(x);
    }
    if x.is_negative() {
        return canonical_nan(F::BITS as Width);
    }
    let precision = F::PRECISION as i32;
    let e = x.ilogb() - (precision - 1);
    let s = x.scalbn(-e).to_u128(128).value;
    let shift = precision - (e - precision).rem_euclid(2);
    let (mut root, mut rest) = (0u128, 0u128);
    for i in (0..precision).rev() {
        let two = match 2 * i - shift {
            at if at >= 0 => s >> at & 3,
            -1 => s << 1 & 3,
            _ => 0,
        };
        rest = rest << 2 | two;
        let trial = root << 2 | 1;
        root <<= 1;
        if rest >= trial {
            rest -= trial;
            root |= 1;
        }
    }
    if rest > root {
        root += 1;
    }
    bits(F::from_u128(root).value.scalbn((e - shift) / 2))
}

#[cfg(test)]
#[path = "extended_tests.rs"]
mod tests;
