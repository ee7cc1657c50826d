//! Operators on concrete words of up to 64 bits: the fast path. Pure functions that return `None`
//! where a term or a report is needed. Agreement with `expr::eval` is tested.

use symex_program::{Bin, Cast, Cmp, FCmp, Overflow, Un};
use symex_types::bits::{word_mask, word_sign_extend};

/// Computes a binary operator. `None`: division by zero or overflow, a shift too far, an
/// unsupported operator or width.
#[inline(always)]
pub fn bin(op: Bin, w: u8, a: u64, b: u64) -> Option<u64> {
    if w > 64 {
        return None;
    }
    let m = word_mask(w.into());
    Some(match op {
        Bin::Add => a.wrapping_add(b) & m,
        Bin::Sub => a.wrapping_sub(b) & m,
        Bin::Mul => a.wrapping_mul(b) & m,
        Bin::And => a & b,
        Bin::Or => a | b,
        Bin::Xor => a ^ b,
        Bin::Shl if b < w as u64 => (a << b) & m,
        Bin::LShr if b < w as u64 => a >> b,
        Bin::AShr if b < w as u64 => (word_sign_extend(a, w.into()) >> b) as u64 & m,
        Bin::UDiv if b != 0 => a / b,
        Bin::URem if b != 0 => a % b,
        Bin::SDiv if b != 0 && !(b == m && a == (m >> 1) + 1) => {
            (word_sign_extend(a, w.into()) / word_sign_extend(b, w.into())) as u64 & m
        }
        Bin::SRem if b != 0 && !(b == m && a == (m >> 1) + 1) => {
            (word_sign_extend(a, w.into()) % word_sign_extend(b, w.into())) as u64 & m
        }
        _ => return bin_rare(op, w, a, b),
    })
}

/// Reports whether a word is in `low..high`, wrapping around; equal bounds are those of all words.
#[inline(always)]
pub fn is_within(w: u8, a: u64, low: u64, high: u64) -> bool {
    let m = word_mask(w.into());
    let size = high.wrapping_sub(low) & m;
    size == 0 || a.wrapping_sub(low) & m < size
}

#[cold]
fn bin_rare(op: Bin, w: u8, a: u64, b: u64) -> Option<u64> {
    let m = word_mask(w.into());
    let (sa, sb) = (word_sign_extend(a, w.into()), word_sign_extend(b, w.into()));
    let (min, max) = (word_sign_extend((m >> 1) + 1, w.into()), (m >> 1) as i64);
    Some(match op {
        Bin::UMin => a.min(b),
        Bin::UMax => a.max(b),
        Bin::SMin => sa.min(sb) as u64 & m,
        Bin::SMax => sa.max(sb) as u64 & m,
        Bin::UAddSat => a.checked_add(b).map_or(m, |s| s.min(m)),
        Bin::USubSat => a.saturating_sub(b),
        Bin::SAddSat => (sa as i128 + sb as i128).clamp(min as i128, max as i128) as u64 & m,
        Bin::SSubSat => (sa as i128 - sb as i128).clamp(min as i128, max as i128) as u64 & m,
        Bin::PtrMask => a & b,
        Bin::FAdd | Bin::FSub | Bin::FMul | Bin::FDiv | Bin::FRem => return float_bin(op, w, a, b),
        Bin::FMinNum | Bin::FMaxNum | Bin::FMinimum | Bin::FMaximum => {
            return float_bin(op, w, a, b);
        }
        Bin::FCopySign => {
            let sign = (m >> 1) + 1;
            (a & !sign) | (b & sign)
        }
        _ => return None,
    })
}

fn float_bin(op: Bin, w: u8, a: u64, b: u64) -> Option<u64> {
    macro_rules! with {
        ($f:ty, $bits:ty) => {{
            let (x, y) = (<$f>::from_bits(a as $bits), <$f>::from_bits(b as $bits));
            let r = match op {
                Bin::FAdd => x + y,
                Bin::FSub => x - y,
                Bin::FMul => x * y,
                Bin::FDiv => x / y,
                Bin::FRem => x % y,
                Bin::FMinNum => x.min(y),
                Bin::FMaxNum => x.max(y),
                Bin::FMinimum => {
                    if x.is_nan() || y.is_nan() {
                        <$f>::NAN
                    } else if x == y {
                        if x.is_sign_negative() { x } else { y }
                    } else {
                        x.min(y)
                    }
                }
                Bin::FMaximum => {
                    if x.is_nan() || y.is_nan() {
                        <$f>::NAN
                    } else if x == y {
                        if x.is_sign_negative() { y } else { x }
                    } else {
                        x.max(y)
                    }
                }
                _ => return None,
            };
            Some(r.to_bits() as u64)
        }};
    }
    match w {
        32 => with!(f32, u32),
        64 => with!(f64, u64),
        _ => None,
    }
}

/// Computes a unary operator. `None` for widths over 64 and float widths other than 32 and 64.
pub fn un(op: Un, w: u8, a: u64) -> Option<u64> {
    if w > 64 {
        return None;
    }
    let m = word_mask(w.into());
    let wide = w as u64;
    Some(match op {
        Un::Popcount => a.count_ones() as u64,
        Un::Clz => a.leading_zeros() as u64 - (64 - wide),
        Un::Ctz => (a.trailing_zeros() as u64).min(wide),
        Un::ByteSwap => a.swap_bytes() >> (64 - wide),
        Un::BitReverse => a.reverse_bits() >> (64 - wide),
        Un::Abs => word_sign_extend(a, w.into()).wrapping_abs() as u64 & m,
        Un::FNeg => a ^ ((m >> 1) + 1),
        Un::FAbs => a & (m >> 1),
        _ => {
            macro_rules! with {
                ($f:ty, $bits:ty) => {{
                    let x = <$f>::from_bits(a as $bits);
                    let r = match op {
                        Un::FSqrt => x.sqrt(),
                        Un::FFloor => x.floor(),
                        Un::FCeil => x.ceil(),
                        Un::FTrunc => x.trunc(),
                        Un::FRint => x.round_ties_even(),
                        Un::FRound => x.round(),
                        _ => return None,
                    };
                    r.to_bits() as u64
                }};
            }
            match w {
                32 => with!(f32, u32),
                64 => with!(f64, u64),
                _ => return None,
            }
        }
    })
}

/// Compares words.
#[inline(always)]
pub fn cmp(op: Cmp, w: u8, a: u64, b: u64) -> bool {
    match op {
        Cmp::Eq => a == b,
        Cmp::Ne => a != b,
        Cmp::ULt => a < b,
        Cmp::ULe => a <= b,
        Cmp::UGt => a > b,
        Cmp::UGe => a >= b,
        Cmp::SLt => word_sign_extend(a, w.into()) < word_sign_extend(b, w.into()),
        Cmp::SLe => word_sign_extend(a, w.into()) <= word_sign_extend(b, w.into()),
        Cmp::SGt => word_sign_extend(a, w.into()) > word_sign_extend(b, w.into()),
        Cmp::SGe => word_sign_extend(a, w.into()) >= word_sign_extend(b, w.into()),
    }
}

/// Compares floats of 32 or 64 bits.
pub fn fcmp(op: FCmp, w: u8, a: u64, b: u64) -> Option<bool> {
    use std::cmp::Ordering::*;
    let order = match w {
        32 => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        64 => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
        _ => return None,
    };
    let (lt, eq, gt, un) = (
        order == Some(Less),
        order == Some(Equal),
        order == Some(Greater),
        order.is_none(),
    );
    Some(match op {
        FCmp::False => false,
        FCmp::OEq => eq,
        FCmp::OGt => gt,
        FCmp::OGe => gt | eq,
        FCmp::OLt => lt,
        FCmp::OLe => lt | eq,
        FCmp::ONe => lt | gt,
        FCmp::Ord => !un,
        FCmp::Uno => un,
        FCmp::UEq => eq | un,
        FCmp::UGt => gt | un,
        FCmp::UGe => gt | eq | un,
        FCmp::ULt => lt | un,
        FCmp::ULe => lt | eq | un,
        FCmp::UNe => !eq,
        FCmp::True => true,
    })
}

/// Computes a conversion. `None` for widths over 64, half floats, and float-to-integer conversions
/// out of range (poison).
#[inline(always)]
pub fn cast(op: Cast, from: u8, to: u8, a: u64) -> Option<u64> {
    if from > 64 || to > 64 {
        return None;
    }
    Some(match op {
        Cast::Trunc => a & word_mask(to.into()),
        Cast::ZExt => a,
        Cast::SExt => word_sign_extend(a, from.into()) as u64 & word_mask(to.into()),
        _ => return float_cast(op, from, to, a),
    })
}

#[cold]
fn float_cast(op: Cast, from: u8, to: u8, a: u64) -> Option<u64> {
    let read = |w: u8| match w {
        32 => Some(f32::from_bits(a as u32) as f64),
        64 => Some(f64::from_bits(a)),
        _ => None,
    };
    Some(match op {
        Cast::FTrunc if (from, to) == (64, 32) => (f64::from_bits(a) as f32).to_bits() as u64,
        Cast::FExt if (from, to) == (32, 64) => (f32::from_bits(a as u32) as f64).to_bits(),
        Cast::FToUInt | Cast::FToUIntSat => {
            let v = (read(from)?.trunc() as u128).min(u128::from(word_mask(to.into())));
            if op == Cast::FToUInt && !fits_unsigned(read(from)?, to) {
                return None;
            }
            v as u64
        }
        Cast::FToSInt | Cast::FToSIntSat => {
            let (min, max) = (-(1i128 << (to - 1)), (1i128 << (to - 1)) - 1);
            let x = read(from)?;
            if op == Cast::FToSInt
                && !(x.trunc() >= min as f64 && (x.trunc() as i128) <= max && !x.is_nan())
            {
                return None;
            }
            (x.trunc() as i128).clamp(min, max) as u64 & word_mask(to.into())
        }
        Cast::UIntToF => match to {
            32 => (a as f32).to_bits() as u64,
            64 => (a as f64).to_bits(),
            _ => return None,
        },
        Cast::SIntToF => match to {
            32 => (word_sign_extend(a, from.into()) as f32).to_bits() as u64,
            64 => (word_sign_extend(a, from.into()) as f64).to_bits(),
            _ => return None,
        },
        _ => return None,
    })
}

fn fits_unsigned(x: f64, to: u8) -> bool {
    let t = x.trunc();
    t >= 0.0 && (t as u128) <= u128::from(word_mask(to.into()))
}

/// Computes result and overflow flag, for widths up to 64.
#[inline(always)]
pub fn overflow(op: Overflow, w: u8, a: u64, b: u64) -> Option<(u64, bool)> {
    if w > 64 {
        return None;
    }
    let m = word_mask(w.into());
    let signed = |r: i128| {
        (
            (r as u64) & m,
            r < -(1i128 << (w - 1)) || r >= (1i128 << (w - 1)),
        )
    };
    let (sa, sb) = (
        word_sign_extend(a, w.into()) as i128,
        word_sign_extend(b, w.into()) as i128,
    );
    Some(match op {
        Overflow::UAdd => {
            let r = a as u128 + b as u128;
            (r as u64 & m, r > m as u128)
        }
        Overflow::USub => (a.wrapping_sub(b) & m, a < b),
        Overflow::UMul => {
            let r = a as u128 * b as u128;
            (r as u64 & m, r > m as u128)
        }
        Overflow::SAdd => signed(sa + sb),
        Overflow::SSub => signed(sa - sb),
        Overflow::SMul => signed(sa * sb),
    })
}

/// Shifts the first of two words towards its left by a number of bits and fills it up with the
/// highest bits of the second, or shifts the second towards its right and fills it up with the
/// lowest bits of the first, for widths up to 64.
pub fn funnel(left: bool, w: u8, a: u64, b: u64, by: u64) -> u64 {
    let by = by % u64::from(w);
    let of_b = match (left, by) {
        (true, 0) => return a,
        (false, 0) => return b,
        (true, by) => by,
        (false, by) => u64::from(w) - by,
    };
    (a << of_b | b >> (u64::from(w) - of_b)) & word_mask(w.into())
}

#[cfg(test)]
mod tests;
