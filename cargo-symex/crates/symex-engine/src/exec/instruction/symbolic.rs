//! Symbolic semantics of instructions: each operator as a term. Pure except for the pool. Division
//! by zero, shifts too far and poison are the caller's to report; here they have the value that
//! `expr` gives them.

use symex_program::{Bin, Cast, Cmp, FCmp, Overflow, Un};
use symex_terms::{BinOp, Expr, FCast, Pool, UnOp};

/// Makes the term of a binary operator.
pub fn bin(p: &mut Pool, op: Bin, a: Expr, b: Expr) -> Expr {
    let w = p.width(a);
    let simple = match op {
        Bin::Add => BinOp::Add,
        Bin::Sub => BinOp::Sub,
        Bin::Mul => BinOp::Mul,
        Bin::UDiv => BinOp::UDiv,
        Bin::SDiv => BinOp::SDiv,
        Bin::URem => BinOp::URem,
        Bin::SRem => BinOp::SRem,
        Bin::And | Bin::PtrMask => BinOp::And,
        Bin::Or => BinOp::Or,
        Bin::Xor => BinOp::Xor,
        Bin::Shl => BinOp::Shl,
        Bin::LShr => BinOp::LShr,
        Bin::AShr => BinOp::AShr,
        Bin::FAdd => BinOp::FAdd,
        Bin::FSub => BinOp::FSub,
        Bin::FMul => BinOp::FMul,
        Bin::FDiv => BinOp::FDiv,
        Bin::FRem => BinOp::FRem,
        Bin::UMin | Bin::UMax | Bin::SMin | Bin::SMax => {
            let less = p.bin(
                if matches!(op, Bin::UMin | Bin::UMax) {
                    BinOp::ULt
                } else {
                    BinOp::SLt
                },
                a,
                b,
            );
            return if matches!(op, Bin::UMin | Bin::SMin) {
                p.ite(less, a, b)
            } else {
                p.ite(less, b, a)
            };
        }
        Bin::UAddSat | Bin::USubSat | Bin::SAddSat | Bin::SSubSat => {
            return saturating(p, op, a, b);
        }
        Bin::UShlSat | Bin::SShlSat => {
            let shifted = p.bin(BinOp::Shl, a, b);
            let signed = op == Bin::SShlSat;
            let back = p.bin(if signed { BinOp::AShr } else { BinOp::LShr }, shifted, b);
            let exact = p.eq(back, a);
            let limit = if signed {
                signed_limit(p, a)
            } else {
                p.constant(w, u128::MAX)
            };
            return p.ite(exact, shifted, limit);
        }
        Bin::FMinNum | Bin::FMaxNum => {
            let (x, y) = if op == Bin::FMinNum { (a, b) } else { (b, a) };
            let less = p.bin(BinOp::FLt, x, y);
            let picked = p.ite(less, a, b);
            let a_nan = p.un(UnOp::FIsNan, a);
            let b_nan = p.un(UnOp::FIsNan, b);
            let or_a = p.ite(b_nan, a, picked);
            return p.ite(a_nan, b, or_a);
        }
        Bin::FMinimum | Bin::FMaximum => {
            let min = op == Bin::FMinimum;
            let (x, y) = if min { (a, b) } else { (b, a) };
            let less = p.bin(BinOp::FLt, x, y);
            let equal = p.bin(BinOp::FEq, a, b);
            // Equal and different bits: the two zeros. Their `or` is -0, their `and` +0.
            let zero = p.bin(if min { BinOp::Or } else { BinOp::And }, a, b);
            let picked = p.ite(less, a, b);
            let picked = p.ite(equal, zero, picked);
            let a_nan = p.un(UnOp::FIsNan, a);
            let b_nan = p.un(UnOp::FIsNan, b);
            let or_b = p.ite(b_nan, b, picked);
            return p.ite(a_nan, a, or_b);
        }
        Bin::FCopySign => {
            let magnitude = p.extract(a, 0, w - 1);
            let sign = p.extract(b, w - 1, 1);
            return p.concat(sign, magnitude);
        }
    };
    p.bin(simple, a, b)
}

fn signed_limit(p: &mut Pool, like: Expr) -> Expr {
    let w = p.width(like);
    let negative = p.extract(like, w - 1, 1);
    let (min, max) = (1u128 << (w - 1), (1u128 << (w - 1)) - 1);
    let (min, max) = (p.constant(w, min), p.constant(w, max));
    p.ite(negative, min, max)
}

fn saturating(p: &mut Pool, op: Bin, a: Expr, b: Expr) -> Expr {
    let w = p.width(a);
    let kind = match op {
        Bin::UAddSat => Overflow::UAdd,
        Bin::USubSat => Overflow::USub,
        Bin::SAddSat => Overflow::SAdd,
        _ => Overflow::SSub,
    };
    let (result, over) = overflow(p, kind, a, b);
    let limit = match op {
        Bin::UAddSat => p.constant(w, u128::MAX),
        Bin::USubSat => p.constant(w, 0),
        // On overflow the true result has the sign of `a`.
        _ => signed_limit(p, a),
    };
    p.ite(over, limit, result)
}

/// Makes the term of a unary operator.
pub fn un(p: &mut Pool, op: Un, a: Expr) -> Expr {
    let w = p.width(a);
    let simple = match op {
        Un::Popcount => UnOp::Popcount,
        Un::Clz => UnOp::Clz,
        Un::Ctz => UnOp::Ctz,
        Un::FSqrt => UnOp::FSqrt,
        Un::FFloor => UnOp::FRoundDown,
        Un::FCeil => UnOp::FRoundUp,
        Un::FTrunc => UnOp::FRoundZero,
        Un::FRint => UnOp::FRoundEven,
        Un::FRound => UnOp::FRoundAway,
        Un::ByteSwap => return reverse(p, a, 8),
        Un::BitReverse => return reverse(p, a, 1),
        Un::Abs => {
            let zero = p.constant(w, 0);
            let negated = p.sub(zero, a);
            let negative = p.extract(a, w - 1, 1);
            return p.ite(negative, negated, a);
        }
        Un::FNeg => {
            let sign = p.constant(w, 1 << (w - 1));
            return p.bin(BinOp::Xor, a, sign);
        }
        Un::FAbs => {
            let rest = p.constant(w, (1 << (w - 1)) - 1);
            return p.and(a, rest);
        }
    };
    p.un(simple, a)
}

/// Reverses the order of units of `unit` bits.
fn reverse(p: &mut Pool, a: Expr, unit: u32) -> Expr {
    let w = p.width(a);
    let mut result = p.extract(a, 0, unit);
    for lo in (unit..w).step_by(unit as usize) {
        let part = p.extract(a, lo, unit);
        result = p.concat(result, part);
    }
    result
}

/// Makes the comparison of words.
pub fn cmp(p: &mut Pool, op: Cmp, a: Expr, b: Expr) -> Expr {
    match op {
        Cmp::Eq => p.eq(a, b),
        Cmp::Ne => p.ne(a, b),
        Cmp::ULt => p.ult(a, b),
        Cmp::ULe => p.ule(a, b),
        Cmp::UGt => p.ult(b, a),
        Cmp::UGe => p.ule(b, a),
        Cmp::SLt => p.bin(BinOp::SLt, a, b),
        Cmp::SLe => p.bin(BinOp::SLe, a, b),
        Cmp::SGt => p.bin(BinOp::SLt, b, a),
        Cmp::SGe => p.bin(BinOp::SLe, b, a),
    }
}

/// Makes the comparison of floats.
pub fn fcmp(p: &mut Pool, op: FCmp, a: Expr, b: Expr) -> Expr {
    match op {
        FCmp::False => p.bool(false),
        FCmp::True => p.bool(true),
        FCmp::OEq => p.bin(BinOp::FEq, a, b),
        FCmp::OLt => p.bin(BinOp::FLt, a, b),
        FCmp::OLe => p.bin(BinOp::FLe, a, b),
        FCmp::OGt => p.bin(BinOp::FLt, b, a),
        FCmp::OGe => p.bin(BinOp::FLe, b, a),
        FCmp::ONe => {
            let (lt, gt) = (p.bin(BinOp::FLt, a, b), p.bin(BinOp::FLt, b, a));
            p.or(lt, gt)
        }
        FCmp::Uno => {
            let (x, y) = (p.un(UnOp::FIsNan, a), p.un(UnOp::FIsNan, b));
            p.or(x, y)
        }
        FCmp::Ord => negated(p, FCmp::Uno, a, b),
        FCmp::UEq => negated(p, FCmp::ONe, a, b),
        FCmp::UGt => negated(p, FCmp::OLe, a, b),
        FCmp::UGe => negated(p, FCmp::OLt, a, b),
        FCmp::ULt => negated(p, FCmp::OGe, a, b),
        FCmp::ULe => negated(p, FCmp::OGt, a, b),
        FCmp::UNe => negated(p, FCmp::OEq, a, b),
    }
}

fn negated(p: &mut Pool, op: FCmp, a: Expr, b: Expr) -> Expr {
    let e = fcmp(p, op, a, b);
    p.not(e)
}

/// Makes the term of a conversion.
pub fn cast(p: &mut Pool, op: Cast, to: u8, a: Expr) -> Expr {
    let to = to as u32;
    match op {
        Cast::Trunc => p.extract(a, 0, to),
        Cast::ZExt => p.zext(a, to),
        Cast::SExt => p.sext(a, to),
        Cast::FTrunc | Cast::FExt => p.fcast(FCast::Float, a, to),
        // Out of range is poison without `Sat`; saturation is one of the values poison may have.
        Cast::FToUInt | Cast::FToUIntSat => p.fcast(FCast::ToUnsigned, a, to),
        Cast::FToSInt | Cast::FToSIntSat => p.fcast(FCast::ToSigned, a, to),
        Cast::UIntToF => p.fcast(FCast::FromUnsigned, a, to),
        Cast::SIntToF => p.fcast(FCast::FromSigned, a, to),
    }
}

/// Makes the terms of result and overflow flag.
pub fn overflow(p: &mut Pool, op: Overflow, a: Expr, b: Expr) -> (Expr, Expr) {
    let w = p.width(a);
    let sign = |p: &mut Pool, e: Expr| p.extract(e, w - 1, 1);
    match op {
        Overflow::UAdd => {
            let r = p.add(a, b);
            let o = p.ult(r, a);
            (r, o)
        }
        Overflow::USub => {
            let r = p.sub(a, b);
            let o = p.ult(a, b);
            (r, o)
        }
        Overflow::SAdd | Overflow::SSub => {
            let r = if op == Overflow::SAdd {
                p.add(a, b)
            } else {
                p.sub(a, b)
            };
            if let Some(c) = p.as_const(b) {
                // One comparison instead of three sign bits.
                let negative = c >> (w - 1) & 1 == 1;
                let up = negative != (op == Overflow::SAdd);
                let o = if c == 0 {
                    p.bool(false)
                } else if up {
                    p.bin(BinOp::SLt, r, a)
                } else {
                    p.bin(BinOp::SLt, a, r)
                };
                return (r, o);
            }
            let (sa, sb, sr) = (sign(p, a), sign(p, b), sign(p, r));
            let sb = if op == Overflow::SAdd { sb } else { p.not(sb) };
            let same = p.eq(sa, sb);
            let turned = p.ne(sa, sr);
            let o = p.and(same, turned);
            (r, o)
        }
        Overflow::UMul => {
            let r = p.bin(BinOp::Mul, a, b);
            let o = p.bin(BinOp::UMulO, a, b);
            (r, o)
        }
        Overflow::SMul => {
            let r = p.bin(BinOp::Mul, a, b);
            let o = p.bin(BinOp::SMulO, a, b);
            (r, o)
        }
    }
}

/// Makes the term of a funnel shift.
pub fn funnel(p: &mut Pool, left: bool, a: Expr, b: Expr, c: Expr) -> Expr {
    let w = p.width(a);
    let width = p.constant(w, w as u128);
    let c = if w.is_power_of_two() {
        let m = p.constant(w, w as u128 - 1);
        p.and(c, m)
    } else {
        p.bin(BinOp::URem, c, width)
    };
    if let Some(c) = p.as_const(c) {
        let c = c as u32;
        let keep = if left { w - c } else { c };
        // `a` gives its low bits above the high bits of `b`.
        return match keep {
            0 => b,
            k if k == w => a,
            k => {
                let (hi, lo) = (p.extract(a, 0, k), p.extract(b, k, w - k));
                p.concat(hi, lo)
            }
        };
    }
    let rest = p.sub(width, c);
    let (ca, cb) = if left { (c, rest) } else { (rest, c) };
    let (hi, lo) = (p.bin(BinOp::Shl, a, ca), p.bin(BinOp::LShr, b, cb));
    p.or(hi, lo)
}

/// Makes the three-way comparison: -1, 0 or 1.
pub fn three_way(p: &mut Pool, signed: bool, to: u8, a: Expr, b: Expr) -> Expr {
    let op = if signed { BinOp::SLt } else { BinOp::ULt };
    let (less, greater) = (p.bin(op, a, b), p.bin(op, b, a));
    let to = to as u32;
    let (minus, zero, one) = (
        p.constant(to, u128::MAX),
        p.constant(to, 0),
        p.constant(to, 1),
    );
    let rest = p.ite(greater, one, zero);
    p.ite(less, minus, rest)
}

/// Makes LLVM's `is.fpclass`: whether the float belongs to one of the classes of the mask.
pub fn fclass(p: &mut Pool, a: Expr, mask: u16) -> Expr {
    let w = p.width(a);
    let fraction = match w {
        16 => 10,
        32 => 23,
        64 => 52,
        80 => return fclass_x87(p, a, mask),
        _ => 112,
    };
    // Without the sign, classes follow each other: zero, subnormal, normal, infinite, signalling
    // and quiet NaNs.
    let one = 1u128 << fraction;
    let infinity = (1u128 << (w - 1)) - one;
    let starts = [0, 1, one, infinity, infinity + 1, infinity + one / 2];
    // Bit i of the mask: signalling NaN, quiet NaN, then -inf, -normal, -subnormal, -0, +0,
    // +subnormal, +normal, +inf.
    let has = |bit: u32| mask >> bit & 1 == 1;
    let nans = [has(0), has(1)];
    let negative = [has(5), has(4), has(3), has(2), nans[0], nans[1]];
    let positive = [has(6), has(7), has(8), has(9), nans[0], nans[1]];
    let size = p.extract(a, 0, w - 1);
    let end = |at: usize| starts.get(at + 1).map_or((1u128 << (w - 1)) - 1, |v| v - 1);
    let mut is_in = |classes: [bool; 6]| {
        let mut result = p.bool(false);
        let mut at = 0;
        while at < classes.len() {
            let first = at;
            while at < classes.len() && classes[at] {
                at += 1;
            }
            if at > first {
                let low = p.constant(w - 1, starts[first]);
                let high = p.constant(w - 1, end(at - 1));
                let (above, below) = (p.ule(low, size), p.ule(size, high));
                let both = p.and(above, below);
                result = p.or(result, both);
            }
            at += 1;
        }
        result
    };
    let (of_negative, of_positive) = (is_in(negative), is_in(positive));
    let sign = p.extract(a, w - 1, 1);
    p.ite(sign, of_negative, of_positive)
}

/// Makes `is.fpclass` of a float of 80 bits, whose integer bit is explicit.
fn fclass_x87(p: &mut Pool, a: Expr, mask: u16) -> Expr {
    let (sign, exponent, frac) = (
        p.extract(a, 79, 1),
        p.extract(a, 64, 15),
        p.extract(a, 0, 63),
    );
    let quiet = p.extract(a, 62, 1);
    let ones = p.constant(15, 0x7fff);
    let zeros = p.constant(15, 0);
    let no_frac = p.constant(63, 0);
    let (exp_max, exp_zero, frac_zero) = (
        p.eq(exponent, ones),
        p.eq(exponent, zeros),
        p.eq(frac, no_frac),
    );
    let (frac_some, positive) = (p.not(frac_zero), p.not(sign));
    let nan = p.and(exp_max, frac_some);
    let (not_quiet, exp_not_max, exp_some) = (p.not(quiet), p.not(exp_max), p.not(exp_zero));
    let infinite = p.and(exp_max, frac_zero);
    let normal = p.and(exp_not_max, exp_some);
    let subnormal = p.and(exp_zero, frac_some);
    let zero = p.and(exp_zero, frac_zero);
    // An exponent without the integer bit is NaN, the bit without an exponent the smallest one.
    let bit = p.extract(a, 63, 1);
    let no_bit = p.not(bit);
    let unsupported = p.and(exp_some, no_bit);
    let nan = p.or(nan, unsupported);
    let infinite = p.and(infinite, bit);
    let only_bit = p.and(exp_zero, bit);
    let normal = p.and(normal, bit);
    let normal = p.or(normal, only_bit);
    let subnormal = p.and(subnormal, no_bit);
    let zero = p.and(zero, no_bit);
    // Bit i of the mask: signalling NaN, quiet NaN, then -inf, -normal, -subnormal, -0, +0,
    // +subnormal, +normal, +inf.
    let classes = [
        (nan, not_quiet),
        (nan, quiet),
        (infinite, sign),
        (normal, sign),
        (subnormal, sign),
        (zero, sign),
        (zero, positive),
        (subnormal, positive),
        (normal, positive),
        (infinite, positive),
    ];
    let mut result = p.bool(false);
    for (i, (x, y)) in classes.into_iter().enumerate() {
        if mask >> i & 1 == 1 {
            let both = p.and(x, y);
            result = p.or(result, both);
        }
    }
    result
}
