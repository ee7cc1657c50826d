use super::*;
use crate::domain::transfer;
use crate::op::UnOp;
use symex_types::splitmix::Random;

const WIDTHS: [Width; 4] = [16, 32, 64, 128];

/// Draws the bits of a float: any, one of the usual ones, or one whose exponent is near zero.
fn float(random: &mut Random, width: Width) -> u128 {
    let any = (u128::from(random.bits()) << 64 | u128::from(random.bits())) & mask(width);
    let sign = any & 1 << (width - 1);
    let of_integer = |v: u128| number::fcast(FCast::FromUnsigned, 16, width, v);
    let most = infinity(width).expect("a format") as u128;
    match random.below(8) {
        0 => sign,
        1 => sign | most,
        2 => sign | (most - 1),
        3 => sign | u128::from(random.below(3)),
        4 => sign | most | any & 0xff,
        5 => sign | of_integer(random.below(9).into()),
        6 => sign | (of_integer(1) + (any & 0xffff)),
        _ => any,
    }
}

/// Draws a domain of floats: one, two, or all that lie between two.
fn domain(random: &mut Random, width: Width) -> Domain {
    let (a, b) = (float(random, width), float(random, width));
    let single = Domain::constant(width, a);
    let drawn = match random.below(4) {
        0 => single,
        1 => single.hull(&Domain::constant(width, b)),
        2 => Domain::unsigned(width, a.min(b), a.max(b)),
        _ => made(width, &[a, b]),
    };
    drawn.trimmed(width)
}

/// Returns some floats of a domain.
fn values(random: &mut Random, d: &Domain, width: Width) -> Vec<u128> {
    let mut some: Vec<u128> = (0..8).map(|_| float(random, width)).collect();
    some.extend([d.min, d.max]);
    some.extend([d.smin as u128 & mask(width), d.smax as u128 & mask(width)]);
    some.retain(|v| d.allows(*v, width));
    some
}

fn assert_in(made: Domain, width: Width, value: u128, what: &str, from: &[&Domain]) {
    let trimmed = made.trimmed(width);
    assert!(
        trimmed.allows(value, width),
        "{what} gives {value:#x}, which is not in {made:x?}, from {from:x?}"
    );
}

#[test]
fn operations_on_floats_lose_no_value() {
    let mut random = Random::new(1);
    for turn in 0..8_000 {
        let width = WIDTHS[turn % WIDTHS.len()];
        let (a, b) = (domain(&mut random, width), domain(&mut random, width));
        let (x, y) = (
            values(&mut random, &a, width),
            values(&mut random, &b, width),
        );
        for op in UnOp::ALL.iter().filter(|op| op.is_float()) {
            let result = if op.is_predicate() { 1 } else { width };
            let made = transfer::un(*op, width, &a);
            for v in &x {
                let what = format!("{op:?} {v:#x}");
                assert_in(made, result, number::un(*op, width, *v), &what, &[&a]);
            }
        }
        let pairs = || x.iter().flat_map(|v| y.iter().map(move |w| (*v, *w)));
        for op in BinOp::ALL.iter().filter(|op| op.is_float()) {
            let result = if op.is_predicate() { 1 } else { width };
            let made = transfer::bin(*op, width, &a, &b);
            for (v, w) in pairs() {
                let what = format!("{op:?} {v:#x} {w:#x}");
                assert_in(
                    made,
                    result,
                    number::bin(*op, width, v, w),
                    &what,
                    &[&a, &b],
                );
            }
        }
    }
}

#[test]
fn conversions_of_floats_lose_no_value() {
    let mut random = Random::new(2);
    for turn in 0..8_000 {
        let width = WIDTHS[turn % WIDTHS.len()];
        let a = domain(&mut random, width);
        let values = values(&mut random, &a, width);
        let other = WIDTHS[random.below(4) as usize];
        let integer = [1, 8, 31, 64, 128][random.below(5) as usize];
        for (_, op) in FCast::NAMES {
            let to = match op {
                FCast::ToSigned | FCast::ToUnsigned => integer,
                _ => other,
            };
            let made = transfer::fcast(*op, width, to, &a);
            for v in &values {
                let what = format!("{op:?} {v:#x}");
                assert_in(made, to, number::fcast(*op, width, to, *v), &what, &[&a]);
            }
        }
        // The sign alone, inverted and left out.
        let sign = 1 << (width - 1);
        let inverted = transfer::bin(BinOp::Xor, width, &a, &Domain::constant(width, sign));
        let left_out = transfer::extract(width, &a, 0, width - 1);
        for v in &values {
            assert_in(inverted, width, v ^ sign, "negation", &[&a]);
            assert_in(left_out, width - 1, v & (sign - 1), "size", &[&a]);
        }
    }
}

/// Returns the domain of the doubles between two.
fn doubles(min: f64, max: f64) -> Domain {
    made(64, &[min.to_bits().into(), max.to_bits().into()]).trimmed(64)
}

fn bin(op: BinOp, a: &Domain, b: &Domain) -> Domain {
    let width = if op.is_predicate() { 1 } else { 64 };
    transfer::bin(op, 64, a, b).trimmed(width)
}

#[test]
fn ranges_of_both_signs_are_kept() {
    let (a, b) = (doubles(-3.0, 2.0), doubles(1.0, 4.0));
    assert_eq!(bin(BinOp::FAdd, &a, &b), doubles(-2.0, 6.0));
    assert_eq!(bin(BinOp::FSub, &a, &b), doubles(-7.0, 1.0));
    assert_eq!(bin(BinOp::FMul, &a, &b), doubles(-12.0, 8.0));
    assert_eq!(bin(BinOp::FDiv, &a, &b), doubles(-3.0, 2.0));
    assert_eq!(bin(BinOp::FRem, &a, &b), doubles(-3.0, 2.0));
    assert_eq!(
        bin(BinOp::FRem, &a, &doubles(-1.5, -1.0)),
        doubles(-1.5, 1.5)
    );
    assert_eq!(bin(BinOp::FRem, &a, &doubles(5.0, 9.0)), a);
    assert_eq!(
        bin(BinOp::Xor, &a, &Domain::constant(64, 1 << 63)),
        doubles(-2.0, 3.0)
    );
    // A divisor of both signs may be either zero.
    assert_eq!(bin(BinOp::FDiv, &b, &a), Domain::full(64));
    assert!(transfer::un(UnOp::FIsNan, 64, &a).is(false));
    assert!(bin(BinOp::FLt, &a, &doubles(2.5, 3.0)).is(true));
    assert!(bin(BinOp::FLe, &a, &doubles(-9.0, -4.0)).is(false));
    assert!(bin(BinOp::FEq, &doubles(-0.0, 0.0), &doubles(0.0, 0.0)).is(true));
    // What may be a NaN holds in no comparison, but may fail in one.
    let any = Domain::full(64);
    let most = Domain::constant(64, f64::INFINITY.to_bits().into());
    assert!(bin(BinOp::FLt, &most, &any).is(false));
    assert_eq!(bin(BinOp::FLe, &any, &most), Domain::full(1));
}

#[test]
fn conversions_keep_both_signs() {
    let d = transfer::fcast(FCast::FromSigned, 8, 64, &Domain::full(8));
    assert_eq!(d.trimmed(64), doubles(-128.0, 127.0));
    let back = transfer::fcast(FCast::ToSigned, 64, 32, &doubles(-2.5, 7.9));
    assert_eq!(back.trimmed(32), Domain::signed(32, -2, 7).trimmed(32));
    let never = transfer::fcast(FCast::ToUnsigned, 64, 8, &doubles(-3.0, 4.0));
    assert_eq!(never.trimmed(8), Domain::unsigned(8, 0, 4).trimmed(8));
}
