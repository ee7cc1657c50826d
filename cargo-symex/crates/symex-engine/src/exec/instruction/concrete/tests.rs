//! Tests that the fast path and the terms agree: the same operator on the same words, once concrete
//! and once as constant terms.

use super::super::symbolic;
use super::*;
use symex_terms::Pool;
use symex_testing::random::TestRandom;

/// Generator of words; edge values are as likely as random ones.
struct Words(TestRandom);

impl Words {
    fn word(&mut self, w: u8) -> u64 {
        let m = word_mask(w.into());
        let r = self.0.bits();
        match self.0.bits() % 8 {
            0 => 0,
            1 => 1 & m,
            2 => m,
            3 => m >> 1,
            4 => ((m >> 1) + 1) & m,
            5 => (r % 70) & m,
            _ => r & m,
        }
    }

    fn float(&mut self, w: u8) -> u64 {
        let r = self.0.bits();
        let f = match self.0.bits() % 10 {
            0 => 0.0,
            1 => -0.0,
            2 => f64::INFINITY,
            3 => -1.5,
            4 => 2.5,
            5 => (r % 1000) as f64 / 8.0,
            6 => 4294967296.0,
            7 => -9223372036854775808.0,
            8 => f64::MAX,
            _ => f64::from_bits(r),
        };
        if w == 32 {
            (f as f32).to_bits() as u64
        } else {
            f.to_bits()
        }
    }
}

/// Reports whether two results are equal, or both a NaN of the float width.
fn same(w: u8, float: bool, a: u64, b: u64) -> bool {
    let nan = |v: u64| {
        if w == 32 {
            f32::from_bits(v as u32).is_nan()
        } else {
            f64::from_bits(v).is_nan()
        }
    };
    a == b || float && nan(a) && nan(b)
}

#[test]
fn integer_operators_agree_with_terms() {
    use Bin::*;
    let ops = [
        Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr, UMin, UMax, SMin,
        SMax, UAddSat, SAddSat, USubSat, SSubSat,
    ];
    let (mut words, mut pool) = (Words(TestRandom::new(1)), Pool::new());
    for round in 0..40_000 {
        let w = (words.0.bits() % 64 + 1) as u8;
        let (a, b) = (words.word(w), words.word(w));
        let (x, y) = (
            pool.constant(w as u32, a as u128),
            pool.constant(w as u32, b as u128),
        );
        let op = ops[round % ops.len()];
        if let Some(r) = bin(op, w, a, b) {
            let e = symbolic::bin(&mut pool, op, x, y);
            assert_eq!(
                pool.as_const(e),
                Some(r as u128),
                "{op:?} of {w} bits on {a:#x}, {b:#x}"
            );
        }
        for op in [
            Overflow::UAdd,
            Overflow::SAdd,
            Overflow::USub,
            Overflow::SSub,
            Overflow::UMul,
            Overflow::SMul,
        ] {
            let (r, o) = overflow(op, w, a, b).expect("64 bits or less");
            let (s, p) = symbolic::overflow(&mut pool, op, x, y);
            let terms = (pool.as_const(s), pool.as_const(p));
            assert_eq!(
                terms,
                (Some(r as u128), Some(o as u128)),
                "{op:?} of {w} bits on {a:#x}, {b:#x}"
            );
        }
        for op in [
            Cmp::Eq,
            Cmp::Ne,
            Cmp::ULt,
            Cmp::ULe,
            Cmp::UGt,
            Cmp::UGe,
            Cmp::SLt,
            Cmp::SLe,
            Cmp::SGt,
            Cmp::SGe,
        ] {
            let e = symbolic::cmp(&mut pool, op, x, y);
            assert_eq!(
                pool.as_const(e),
                Some(cmp(op, w, a, b) as u128),
                "{op:?} of {w} bits on {a:#x}, {b:#x}"
            );
        }
        for op in [Un::Popcount, Un::Clz, Un::Ctz, Un::Abs, Un::BitReverse] {
            let e = symbolic::un(&mut pool, op, x);
            assert_eq!(
                pool.as_const(e),
                un(op, w, a).map(u128::from),
                "{op:?} of {w} bits on {a:#x}"
            );
        }
        if w.is_multiple_of(8) {
            let e = symbolic::un(&mut pool, Un::ByteSwap, x);
            assert_eq!(
                pool.as_const(e),
                un(Un::ByteSwap, w, a).map(u128::from),
                "byte swap of {a:#x}"
            );
        }
        let to = (words.0.bits() % 64 + 1) as u8;
        let op = if to <= w {
            Cast::Trunc
        } else {
            [Cast::ZExt, Cast::SExt][round % 2]
        };
        let e = symbolic::cast(&mut pool, op, to, x);
        assert_eq!(
            pool.as_const(e),
            cast(op, w, to, a).map(u128::from),
            "{op:?} {a:#x} from {w} to {to} bits"
        );
    }
}

#[test]
fn float_operators_agree_with_terms() {
    use Bin::*;
    let (mut words, mut pool) = (Words(TestRandom::new(2)), Pool::new());
    for _ in 0..20_000 {
        let w = if words.0.bits() % 2 == 0 { 32 } else { 64 };
        let (a, b) = (words.float(w), words.float(w));
        let (x, y) = (
            pool.constant(w as u32, a as u128),
            pool.constant(w as u32, b as u128),
        );
        for op in [
            FAdd, FSub, FMul, FDiv, FRem, FMinNum, FMaxNum, FMinimum, FMaximum, FCopySign,
        ] {
            let r = bin(op, w, a, b).expect("a float width");
            let e = symbolic::bin(&mut pool, op, x, y);
            let t = pool.as_const(e).expect("constants fold") as u64;
            // minNum of the two zeros may give either.
            let zeros = matches!(op, FMinNum | FMaxNum)
                && a << 1 << (64 - w) == 0
                && b << 1 << (64 - w) == 0;
            assert!(
                same(w, true, r, t) || zeros,
                "{op:?} of {w} bits on {a:#x}, {b:#x}: {r:#x} and {t:#x}"
            );
        }
        for op in [
            Un::FNeg,
            Un::FAbs,
            Un::FSqrt,
            Un::FFloor,
            Un::FCeil,
            Un::FTrunc,
            Un::FRint,
            Un::FRound,
        ] {
            let r = un(op, w, a).expect("a float width");
            let e = symbolic::un(&mut pool, op, x);
            let t = pool.as_const(e).expect("constants fold") as u64;
            assert!(
                same(w, true, r, t),
                "{op:?} of {w} bits on {a:#x}: {r:#x} and {t:#x}"
            );
        }
        for op in [
            FCmp::OEq,
            FCmp::OGt,
            FCmp::OGe,
            FCmp::OLt,
            FCmp::OLe,
            FCmp::ONe,
            FCmp::Ord,
            FCmp::Uno,
            FCmp::UEq,
            FCmp::UGt,
            FCmp::UGe,
            FCmp::ULt,
            FCmp::ULe,
            FCmp::UNe,
            FCmp::False,
            FCmp::True,
        ] {
            let e = symbolic::fcmp(&mut pool, op, x, y);
            assert_eq!(
                pool.as_const(e),
                fcmp(op, w, a, b).map(u128::from),
                "{op:?} on {a:#x}, {b:#x}"
            );
        }
        for to in [8, 16, 32, 64] {
            for op in [Cast::FToUIntSat, Cast::FToSIntSat] {
                let e = symbolic::cast(&mut pool, op, to, x);
                assert_eq!(
                    pool.as_const(e),
                    cast(op, w, to, a).map(u128::from),
                    "{op:?} {a:#x} to {to} bits"
                );
            }
        }
        let (int, to) = (
            words.word(64),
            if words.0.bits() % 2 == 0 { 32 } else { 64 },
        );
        let i = pool.constant(64, int as u128);
        for op in [Cast::UIntToF, Cast::SIntToF] {
            let e = symbolic::cast(&mut pool, op, to, i);
            assert_eq!(
                pool.as_const(e),
                cast(op, 64, to, int).map(u128::from),
                "{op:?} {int:#x} to {to} bits"
            );
        }
    }
}

#[test]
fn funnel_shifts_agree() {
    let mut words = Words(TestRandom::new(0x5a1f));
    let mut pool = Pool::new();
    for w in [1, 7, 8, 16, 24, 32, 64] {
        for left in [false, true] {
            for _ in 0..200 {
                let [a, b, by] = [(); 3].map(|()| words.word(w));
                let terms = [a, b, by].map(|v| pool.constant(w.into(), v.into()));
                let e = symbolic::funnel(&mut pool, left, terms[0], terms[1], terms[2]);
                let known = u128::from(funnel(left, w, a, b, by));
                assert_eq!(
                    pool.as_const(e),
                    Some(known),
                    "{left} {w} {a:#x} {b:#x} {by}"
                );
            }
        }
    }
}
