use super::*;

/// Integer operators agree with their schoolbook definitions on all pairs of small widths.
#[test]
fn integers_agree_with_definitions() {
    for w in 1..=5 {
        let n = 1i128 << w;
        let signed = |v: i128| if v >= n / 2 { v - n } else { v };
        let wrap = |v: i128| v.rem_euclid(n) as u128;
        for a in 0..n {
            for b in 0..n {
                let (x, y) = (signed(a), signed(b));
                let f = |op| bin(op, w, a as u128, b as u128);
                assert_eq!(f(BinOp::Add), wrap(a + b));
                assert_eq!(f(BinOp::Sub), wrap(a - b));
                assert_eq!(f(BinOp::Mul), wrap(a * b));
                assert_eq!(f(BinOp::UDiv), if b == 0 { wrap(-1) } else { wrap(a / b) });
                assert_eq!(f(BinOp::URem), if b == 0 { wrap(a) } else { wrap(a % b) });
                let by_zero = if x < 0 { 1 } else { wrap(-1) };
                assert_eq!(f(BinOp::SDiv), if b == 0 { by_zero } else { wrap(x / y) });
                assert_eq!(f(BinOp::SRem), if b == 0 { wrap(a) } else { wrap(x % y) });
                let far = b >= w as i128;
                assert_eq!(f(BinOp::Shl), if far { 0 } else { wrap(a << b) });
                assert_eq!(f(BinOp::LShr), if far { 0 } else { wrap(a >> b) });
                assert_eq!(f(BinOp::AShr), wrap(x >> b.min(127)));
                assert_eq!(f(BinOp::SLt), (x < y) as u128);
                assert_eq!(f(BinOp::SLe), (x <= y) as u128);
                assert_eq!(f(BinOp::UMulO), (a * b >= n) as u128);
                assert_eq!(
                    f(BinOp::SMulO),
                    (x * y != signed((x * y).rem_euclid(n))) as u128
                );
            }
            let bits = (0..w).map(|i| a >> i & 1 == 1).collect::<Vec<_>>();
            assert_eq!(
                un(UnOp::Popcount, w, a as u128),
                bits.iter().filter(|b| **b).count() as u128
            );
            assert_eq!(
                un(UnOp::Ctz, w, a as u128),
                bits.iter().take_while(|b| !**b).count() as u128
            );
            assert_eq!(
                un(UnOp::Clz, w, a as u128),
                bits.iter().rev().take_while(|b| !**b).count() as u128
            );
        }
    }
}

#[test]
fn widest_integers() {
    let (m, min) = (u128::MAX, 1u128 << 127);
    assert_eq!(bin(BinOp::Add, 128, m, 1), 0);
    assert_eq!(bin(BinOp::SDiv, 128, min, m), min);
    assert_eq!(bin(BinOp::SRem, 128, min, m), 0);
    assert_eq!(bin(BinOp::UMulO, 128, min, 2), 1);
    assert_eq!(bin(BinOp::SMulO, 128, min, m), 1);
    assert_eq!(bin(BinOp::SMulO, 128, m, m), 0);
    assert_eq!(bin(BinOp::AShr, 128, min, 127), m);
    assert_eq!(bin(BinOp::AShr, 128, min, m), m);
    assert_eq!(un(UnOp::Clz, 128, 0), 128);
    assert_eq!(sign_extend(min, 128), i128::MIN);
}

#[test]
fn every_half_float_survives_widening() {
    for a in 0..=0xffffu128 {
        let want = if is_nan(16, a) { canonical_nan(16) } else { a };
        assert_eq!(pack_f16(widen_f16(a) as f64), want, "{a:#x}");
    }
    assert_eq!(widen_f16(0x3c00), 1.0);
    assert_eq!(widen_f16(0x7bff), 65504.0);
    assert_eq!(widen_f16(0x0001), 2f32.powi(-24));
    assert_eq!(widen_f16(0xfc00), f32::NEG_INFINITY);
}

#[test]
fn half_floats_round_to_nearest_even() {
    // Between neighbours a and a + 1: the middle goes to the even one, a nudge to the nearer one.
    for a in 0..0x7bffu128 {
        let (x, y) = (widen_f16(a) as f64, widen_f16(a + 1) as f64);
        let middle = (x + y) / 2.0;
        assert_eq!(pack_f16(middle), a + (a & 1));
        assert_eq!(pack_f16(middle.next_up()), a + 1);
        assert_eq!(pack_f16(-middle.next_down()), a | 0x8000);
    }
    assert_eq!(pack_f16(65519.0), 0x7bff);
    assert_eq!(pack_f16(65520.0), 0x7c00);
    assert_eq!(fcast(FCast::FromUnsigned, 128, 16, u128::MAX), 0x7c00);
    assert_eq!(fcast(FCast::FromSigned, 16, 16, 0xffff), 0xbc00);
    assert_eq!(fcast(FCast::FromUnsigned, 16, 16, 2049), 0x6800);
    assert_eq!(fcast(FCast::FromUnsigned, 16, 16, 2051), 0x6802);
}

#[test]
fn half_fma_rounds_once() {
    // (1 + 2^-10) * (1 + 2^-10) + 2^-24 lies above the middle that the product alone would be
    // rounded from.
    let x = 0x3c01;
    assert_eq!(fma(16, x, x, 0), 0x3c02);
    assert_eq!(fma(16, 0x3c00, 0x3c00, 0xbc00), 0);
    assert_eq!(fma(16, 0x7c00, 0, 0), canonical_nan(16));
    assert_eq!(fma(16, 0x7bff, 0x7bff, 0xfc00), 0xfc00);
    // 2^-14 * 2^-11 is half of the smallest number: a tie to zero, unless anything is added to it.
    assert_eq!(fma(16, 0x0400, 0x1000, 0), 0);
    assert_eq!(fma(16, 0x0401, 0x1000, 0), 1);
    assert_eq!(fma(16, 0x0400, 0x1000, 0x3c00), 0x3c00);
}

#[test]
fn float_conversions_saturate() {
    let f = |v: f64| v.to_bits() as u128;
    assert_eq!(fcast(FCast::ToUnsigned, 64, 8, f(300.9)), 255);
    assert_eq!(fcast(FCast::ToUnsigned, 64, 8, f(-3.0)), 0);
    assert_eq!(fcast(FCast::ToSigned, 64, 8, f(-300.0)), 0x80);
    assert_eq!(fcast(FCast::ToSigned, 64, 8, f(-1.9)), 0xff);
    assert_eq!(
        fcast(FCast::ToSigned, 64, 128, f(f64::INFINITY)),
        i128::MAX as u128
    );
    assert_eq!(fcast(FCast::ToSigned, 64, 1, f(-7.0)), 1);
    assert_eq!(fcast(FCast::ToUnsigned, 64, 64, f(f64::NAN)), 0);
    assert_eq!(
        fcast(FCast::Float, 64, 32, f(1e300)),
        f32::INFINITY.to_bits() as u128
    );
    assert_eq!(fcast(FCast::Float, 32, 64, 0xffc0_1234), canonical_nan(64));
    assert_eq!(
        fcast(FCast::FromUnsigned, 128, 32, u128::MAX),
        f32::INFINITY.to_bits() as u128
    );
}

#[test]
fn nans_are_canonical() {
    for w in [16, 32, 64, 80, 128] {
        let nan = canonical_nan(w);
        let one = fcast(FCast::FromUnsigned, 8, w, 1);
        for op in [
            BinOp::FAdd,
            BinOp::FSub,
            BinOp::FMul,
            BinOp::FDiv,
            BinOp::FRem,
        ] {
            assert_eq!(bin(op, w, nan | 1 << (w - 1) | 1, one), nan);
        }
        assert_eq!(un(UnOp::FSqrt, w, one | 1 << (w - 1)), nan);
        assert_eq!(un(UnOp::FIsNan, w, nan), 1);
        assert_eq!(un(UnOp::FIsNan, w, one), 0);
        assert_eq!(bin(BinOp::FEq, w, nan, nan), 0);
        assert_eq!(bin(BinOp::FEq, w, 0, 1 << (w - 1)), 1);
    }
}
