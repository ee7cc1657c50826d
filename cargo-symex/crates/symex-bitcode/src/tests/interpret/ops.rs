//! Interpretation of instructions on scalars alone.

use symex_program::*;

pub fn mask(w: u32) -> u128 {
    if w >= 128 { u128::MAX } else { (1 << w) - 1 }
}

fn signed(n: u128, w: u32) -> i128 {
    ((n << (128 - w)) as i128) >> (128 - w)
}

fn float(n: u128, w: u32) -> f64 {
    match w {
        32 => f64::from(f32::from_bits(n as u32)),
        64 => f64::from_bits(n as u64),
        _ => panic!("float of {w} bits"),
    }
}

fn bits(x: f64, w: u32) -> u128 {
    match w {
        32 => u128::from((x as f32).to_bits()),
        64 => u128::from(x.to_bits()),
        _ => panic!("float of {w} bits"),
    }
}

fn clamp(n: i128, w: u32) -> u128 {
    let top = (mask(w) >> 1) as i128;
    n.clamp(-top - 1, top) as u128 & mask(w)
}

fn bin(op: Bin, w: u32, a: u128, b: u128) -> u128 {
    let (sa, sb) = (signed(a, w), signed(b, w));
    let (x, y) = match w {
        32 | 64 => (float(a, w), float(b, w)),
        _ => (0.0, 0.0),
    };
    let all = match op {
        Bin::Add => a.wrapping_add(b),
        Bin::Sub => a.wrapping_sub(b),
        Bin::Mul => a.wrapping_mul(b),
        Bin::UDiv => a / b,
        Bin::SDiv => sa.wrapping_div(sb) as u128,
        Bin::URem => a % b,
        Bin::SRem => sa.wrapping_rem(sb) as u128,
        Bin::And | Bin::PtrMask => a & b,
        Bin::Or => a | b,
        Bin::Xor => a ^ b,
        Bin::Shl => a << b,
        Bin::LShr => a >> b,
        Bin::AShr => (sa >> b) as u128,
        Bin::UMin => a.min(b),
        Bin::UMax => a.max(b),
        Bin::SMin => sa.min(sb) as u128,
        Bin::SMax => sa.max(sb) as u128,
        Bin::UAddSat => a.saturating_add(b).min(mask(w)),
        Bin::USubSat => a.saturating_sub(b),
        Bin::SAddSat => clamp(sa.saturating_add(sb), w),
        Bin::SSubSat => clamp(sa.saturating_sub(sb), w),
        Bin::FAdd => bits(x + y, w),
        Bin::FSub => bits(x - y, w),
        Bin::FMul => bits(x * y, w),
        Bin::FDiv => bits(x / y, w),
        Bin::FRem => bits(x % y, w),
        Bin::FMinNum => bits(x.min(y), w),
        Bin::FMaxNum => bits(x.max(y), w),
        Bin::FCopySign => bits(x.copysign(y), w),
        other => panic!("{other:?}"),
    };
    all & mask(w)
}

fn un(op: Un, w: u32, a: u128) -> u128 {
    let x = || float(a, w);
    match op {
        Un::Popcount => u128::from(a.count_ones()),
        Un::Clz => u128::from(a.leading_zeros() - (128 - w)),
        Un::Ctz => u128::from(a.trailing_zeros().min(w)),
        Un::ByteSwap => a.swap_bytes() >> (128 - w),
        Un::BitReverse => a.reverse_bits() >> (128 - w),
        Un::Abs => signed(a, w).unsigned_abs() & mask(w),
        Un::FNeg => a ^ (1 << (w - 1)),
        Un::FAbs => a & (mask(w) >> 1),
        Un::FSqrt => bits(x().sqrt(), w),
        Un::FFloor => bits(x().floor(), w),
        Un::FCeil => bits(x().ceil(), w),
        Un::FTrunc => bits(x().trunc(), w),
        Un::FRint => bits(x().round_ties_even(), w),
        Un::FRound => bits(x().round(), w),
    }
}

fn cmp(op: Cmp, w: u32, a: u128, b: u128) -> bool {
    let (sa, sb) = (signed(a, w), signed(b, w));
    match op {
        Cmp::Eq => a == b,
        Cmp::Ne => a != b,
        Cmp::ULt => a < b,
        Cmp::ULe => a <= b,
        Cmp::UGt => a > b,
        Cmp::UGe => a >= b,
        Cmp::SLt => sa < sb,
        Cmp::SLe => sa <= sb,
        Cmp::SGt => sa > sb,
        Cmp::SGe => sa >= sb,
    }
}

fn fcmp(op: FCmp, x: f64, y: f64) -> bool {
    let unordered = x.is_nan() || y.is_nan();
    match op {
        FCmp::False => false,
        FCmp::True => true,
        FCmp::Ord => !unordered,
        FCmp::Uno => unordered,
        FCmp::OEq => x == y,
        FCmp::OGt => x > y,
        FCmp::OGe => x >= y,
        FCmp::OLt => x < y,
        FCmp::OLe => x <= y,
        FCmp::ONe => !unordered && x != y,
        FCmp::UEq => unordered || x == y,
        FCmp::UGt => unordered || x > y,
        FCmp::UGe => unordered || x >= y,
        FCmp::ULt => unordered || x < y,
        FCmp::ULe => unordered || x <= y,
        FCmp::UNe => x != y,
    }
}

fn cast(op: Cast, from: u32, to: u32, a: u128) -> u128 {
    match op {
        Cast::Trunc => a & mask(to),
        Cast::ZExt => a,
        Cast::SExt => signed(a, from) as u128 & mask(to),
        Cast::FTrunc | Cast::FExt => bits(float(a, from), to),
        Cast::FToUInt | Cast::FToUIntSat => (float(a, from) as u128).min(mask(to)),
        Cast::FToSInt | Cast::FToSIntSat => clamp(float(a, from) as i128, to),
        Cast::UIntToF if to == 32 => bits(f64::from(a as f32), 32),
        Cast::SIntToF if to == 32 => bits(f64::from(signed(a, from) as f32), 32),
        Cast::UIntToF => bits(a as f64, to),
        Cast::SIntToF => bits(signed(a, from) as f64, to),
    }
}

fn overflow(op: Overflow, w: u32, a: u128, b: u128) -> (u128, u128) {
    let (sa, sb) = (signed(a, w), signed(b, w));
    let (wide, fits) = match op {
        Overflow::UAdd => (
            a.wrapping_add(b),
            a.checked_add(b).is_some_and(|n| n <= mask(w)),
        ),
        Overflow::USub => (a.wrapping_sub(b), a >= b),
        Overflow::UMul => (
            a.wrapping_mul(b),
            a.checked_mul(b).is_some_and(|n| n <= mask(w)),
        ),
        Overflow::SAdd => signed_fits(sa.checked_add(sb), sa.wrapping_add(sb), w),
        Overflow::SSub => signed_fits(sa.checked_sub(sb), sa.wrapping_sub(sb), w),
        Overflow::SMul => signed_fits(sa.checked_mul(sb), sa.wrapping_mul(sb), w),
    };
    (wide & mask(w), u128::from(!fits))
}

fn signed_fits(exact: Option<i128>, wrapped: i128, w: u32) -> (u128, bool) {
    let fits = exact.is_some_and(|n| signed(n as u128 & mask(w), w) == n);
    (wrapped as u128, fits)
}

/// Executes an instruction; returns the values of its one or two slots.
pub fn scalar(inst: &Inst, get: &dyn Fn(Operand) -> u128) -> (u128, u128) {
    let one = match *inst {
        Inst::Move { a, .. } | Inst::Freeze { a, .. } => get(a),
        Inst::Bin { op, w, a, b, .. } => bin(op, w.into(), get(a), get(b)),
        Inst::Un { op, w, a, .. } => un(op, w.into(), get(a)),
        Inst::Cmp { op, w, a, b, .. } => cmp(op, w.into(), get(a), get(b)).into(),
        Inst::FCmp { op, w, a, b, .. } => {
            fcmp(op, float(get(a), w.into()), float(get(b), w.into())).into()
        }
        Inst::Cast {
            op, from, to, a, ..
        } => cast(op, from.into(), to.into(), get(a)),
        Inst::Select { cond, a, b, .. } => get(if get(cond) != 0 { a } else { b }),
        Inst::FunnelShift {
            left, w, a, b, c, ..
        } => {
            let w = u32::from(w);
            let by = (get(c) % u128::from(w)) as u32;
            let (hi, lo) = (get(a), get(b));
            let all = match (left, by) {
                (true, 0) => hi,
                (false, 0) => lo,
                (true, _) => hi << by | lo >> (w - by),
                (false, _) => lo >> by | hi << (w - by),
            };
            all & mask(w)
        }
        Inst::Fma { w, a, b, c, .. } => {
            let w = u32::from(w);
            let (x, y, z) = (get(a), get(b), get(c));
            match w {
                32 => {
                    let f = |n| f32::from_bits(n as u32);
                    u128::from(f(x).mul_add(f(y), f(z)).to_bits())
                }
                _ => bits(float(x, w).mul_add(float(y, w), float(z, w)), w),
            }
        }
        Inst::Overflow { op, w, a, b, .. } => return overflow(op, w.into(), get(a), get(b)),
        Inst::ThreeWay {
            signed: s,
            w,
            to,
            a,
            b,
            ..
        } => {
            let (less, more) = if s {
                (Cmp::SLt, Cmp::SGt)
            } else {
                (Cmp::ULt, Cmp::UGt)
            };
            let is = |op| i128::from(cmp(op, w.into(), get(a), get(b)));
            (is(more) - is(less)) as u128 & mask(to.into())
        }
        Inst::Extract { to, lo, a, .. } => (get(a) >> lo) & mask(to.into()),
        Inst::Concat { wlo, hi, lo, .. } => get(hi) << wlo | get(lo),
        Inst::PtrAdd {
            w,
            base,
            index,
            scale,
            ..
        } => {
            let index = signed(get(index), w.into()) as i64;
            let offset = index.wrapping_mul(i64::from(scale)) as u64;
            u128::from((get(base) as u64).wrapping_add(offset))
        }
        ref other => panic!("{other:?}"),
    };
    (one, 0)
}
