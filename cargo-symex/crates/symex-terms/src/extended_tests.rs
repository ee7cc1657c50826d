use super::*;
use crate::number;
use crate::{FCast, UnOp};
use symex_testing::random::TestRandom;

/// Draws the bits of an 80-bit float: special values, numbers near each other, or any bits,
/// including encodings of no number.
fn x87(r: &mut TestRandom) -> u128 {
    let sign = u128::from(r.bits() & 1) << 79;
    let fraction = match r.below(4) {
        0 => 0,
        1 => u64::MAX,
        2 => r.bits() & r.bits() & r.bits(),
        _ => r.bits(),
    };
    let exponent = match r.below(5) {
        0 => [0, 1, 0x7ffe, 0x7fff][r.below(4)],
        1 => r.bits() & 0x7fff,
        _ => 0x3fff - 70 + r.below(140) as u64,
    };
    let shown = if r.below(8) == 0 {
        r.bits() >> 63
    } else {
        u64::from(exponent != 0)
    };
    let fraction = fraction & (u64::MAX >> 1) | shown << 63;
    sign | u128::from(exponent) << 64 | u128::from(fraction)
}

#[cfg(target_arch = "x86_64")]
mod processor {
    //! Reference implementation by the processor's x87 instructions.
    use std::arch::asm;

    /// Pushes the operands, performs the operation, and pops the result. A NaN is made canonical.
    macro_rules! operation {
        ($name:ident, $($text:literal),+) => {
            pub fn $name(a: u128, b: u128) -> u128 {
                let mut result = 0u128;
                // SAFETY: reads the operands, writes 10 bytes of the result, and leaves the stack
                // of the x87 as it was.
                unsafe {
                    asm!(
                        "fld tbyte ptr [{b}]",
                        "fld tbyte ptr [{a}]",
                        $($text,)+
                        "fstp tbyte ptr [{r}]",
                        a = in(reg) &a, b = in(reg) &b, r = in(reg) &mut result,
                        out("ax") _,
                        out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                        out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                    );
                }
                if super::is_nan(80, result) { super::canonical_nan(80) } else { result }
            }
        };
    }

    // st(0) is `a`, st(1) is `b`.
    operation!(add, "faddp");
    operation!(sub, "fsubrp");
    operation!(mul, "fmulp");
    operation!(div, "fdivrp");
    // One step reduces the exponent by 63 at most: again until it is done.
    operation!(
        rem,
        "2:",
        "fprem",
        "fnstsw ax",
        "test ah, 4",
        "jnz 2b",
        "fstp st(1)"
    );
    operation!(sqrt, "fsqrt", "fstp st(1)");
    operation!(nearest, "frndint", "fstp st(1)");

    /// Compares two numbers: less, equal, greater, or unordered.
    pub fn order(a: u128, b: u128) -> Option<std::cmp::Ordering> {
        let (above, equal, unordered): (u8, u8, u8);
        // SAFETY: as above.
        unsafe {
            asm!(
                "fld tbyte ptr [{b}]", "fld tbyte ptr [{a}]", "fucomip st(0), st(1)", "fstp st(0)",
                "seta {above}", "sete {equal}", "setp {unordered}",
                a = in(reg) &a, b = in(reg) &b,
                above = out(reg_byte) above, equal = out(reg_byte) equal, unordered = out(reg_byte) unordered,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            );
        }
        use std::cmp::Ordering::*;
        match (unordered, equal, above) {
            (1, ..) => None,
            (_, 1, _) => Some(Equal),
            (_, _, 1) => Some(Greater),
            _ => Some(Less),
        }
    }

    /// Converts to a double.
    pub fn narrow(a: u128) -> f64 {
        let mut result = 0f64;
        // SAFETY: as above.
        unsafe {
            asm!(
                "fld tbyte ptr [{a}]", "fstp qword ptr [{r}]", a = in(reg) &a, r = in(reg) &mut result,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            );
        }
        result
    }

    /// Converts from an integer.
    pub fn integer(a: i64) -> u128 {
        let mut result = 0u128;
        // SAFETY: as above.
        unsafe {
            asm!(
                "fild qword ptr [{a}]", "fstp tbyte ptr [{r}]", a = in(reg) &a, r = in(reg) &mut result,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
            );
        }
        result
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn floats_of_80_bits_are_those_of_the_processor() {
    let mut r = TestRandom::new(1);
    for _ in 0..20_000 {
        let (a, b) = (x87(&mut r), x87(&mut r));
        let shown = format!("{a:#x} {b:#x}");
        for (op, by) in [
            (BinOp::FAdd, processor::add as fn(u128, u128) -> u128),
            (BinOp::FSub, processor::sub),
            (BinOp::FMul, processor::mul),
            (BinOp::FDiv, processor::div),
            (BinOp::FRem, processor::rem),
        ] {
            assert_eq!(number::bin(op, 80, a, b), by(a, b), "{op:?} {shown}");
        }
        assert_eq!(
            number::un(UnOp::FSqrt, 80, a),
            processor::sqrt(a, b),
            "{shown}"
        );
        let nearest = UnOp::FRoundEven;
        assert_eq!(
            number::un(nearest, 80, a),
            processor::nearest(a, b),
            "{shown}"
        );
        assert_eq!(order(80, a, b), processor::order(a, b), "{shown}");
        let narrow = processor::narrow(a);
        let narrow = if narrow.is_nan() { f64::NAN } else { narrow };
        let bits = u128::from(narrow.to_bits());
        assert_eq!(number::fcast(FCast::Float, 80, 64, a), bits, "{shown}");
        let n = r.bits() as i64 >> r.below(64);
        let from = number::fcast(FCast::FromSigned, 64, 80, u128::from(n as u64));
        assert_eq!(from, processor::integer(n), "{n}");
        // Every integer of 64 bits is a number of 80.
        assert_eq!(
            number::fcast(FCast::ToSigned, 80, 64, from),
            u128::from(n as u64)
        );
        assert_eq!(number::fcast(FCast::Float, 64, 80, bits) >> 79, bits >> 63);
    }
}

/// 113 bits are more than twice the 24 of a float plus two: rounding a result once more does no
/// harm.
#[test]
fn floats_of_128_bits_agree_with_narrower_ones() {
    let mut r = TestRandom::new(2);
    for _ in 0..20_000 {
        let [a, b] = [(); 2].map(|()| r.bits() as u32 & [u32::MAX, 0xff80_0000][r.below(2)]);
        let wide = |v: u32| number::fcast(FCast::Float, 32, 128, v.into());
        for op in [
            BinOp::FAdd,
            BinOp::FSub,
            BinOp::FMul,
            BinOp::FDiv,
            BinOp::FRem,
        ] {
            let made = number::bin(op, 128, wide(a), wide(b));
            let narrow = number::fcast(FCast::Float, 128, 32, made);
            let shown = format!("{op:?} {a:#x} {b:#x}");
            assert_eq!(narrow, number::bin(op, 32, a.into(), b.into()), "{shown}");
        }
        let root = number::un(UnOp::FSqrt, 128, wide(a));
        let narrow = number::fcast(FCast::Float, 128, 32, root);
        assert_eq!(narrow, number::un(UnOp::FSqrt, 32, a.into()), "{a:#x}");
        for op in [BinOp::FLt, BinOp::FLe, BinOp::FEq] {
            let made = number::bin(op, 128, wide(a), wide(b));
            assert_eq!(made, number::bin(op, 32, a.into(), b.into()));
        }
    }
}

/// Roots equal their definition: the greatest number whose square is not above.
#[test]
fn roots_of_128_bits_are_the_nearest() {
    let mut r = TestRandom::new(3);
    for _ in 0..500 {
        let x = u128::from(r.bits() & r.bits()) << 64 | u128::from(r.bits());
        let x = x & (u128::MAX >> 1);
        if is_nan(128, x) || x >> 112 == 0x7fff {
            continue;
        }
        let root = sqrt(128, x);
        // A neighbour's square is no nearer: (root ± half a unit)² encloses x, told by the fused
        // product's sign.
        let sign = |y: u128| fma(128, y, y, x | 1 << 127);
        let (below, above) = (root.saturating_sub(1), root + 1);
        if x >> 112 > 300 {
            assert!(sign(below) >> 127 == 1, "{x:#x}: {below:#x} is below");
            assert!(sign(above) >> 127 == 0, "{x:#x}: {above:#x} is above");
        }
    }
}
