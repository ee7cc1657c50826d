//! Numbers: integers, fractions, decimals, floats, and their texts.

use num_integer::Integer;
use num_rational::Ratio;
use rust_decimal::Decimal;

#[symex::harness]
fn integer_gcd(a: u16, b: u16) {
    let gcd = a.gcd(&b);
    if gcd == 0 {
        assert_eq!((a, b), (0, 0));
    } else {
        assert_eq!((a % gcd, b % gcd), (0, 0));
    }
}

#[symex::harness]
fn integer_floor_division(a: i32, b: i32) {
    symex::assume(b != 0 && !(a == i32::MIN && b == -1));
    let (quotient, rest) = a.div_mod_floor(&b);
    assert_eq!(
        i64::from(quotient) * i64::from(b) + i64::from(rest),
        i64::from(a)
    );
    assert!(rest == 0 || (rest < 0) == (b < 0));
}

#[symex::harness]
fn rational_sum_commutes(a: (i8, i8), b: (i8, i8)) {
    symex::assume(a.1 > 0 && b.1 > 0);
    let wide = |(n, d): (i8, i8)| Ratio::new(i32::from(n), i32::from(d));
    assert_eq!(wide(a) + wide(b), wide(b) + wide(a));
    assert_eq!(wide(a) + wide(b) - wide(b), wide(a));
}

#[symex::harness]
fn bigint_agrees_with_u128(a: u64, b: u64) {
    let sum = num_bigint::BigUint::from(a) + num_bigint::BigUint::from(b);
    assert_eq!(
        sum,
        num_bigint::BigUint::from(u128::from(a) + u128::from(b))
    );
}

#[symex::harness]
fn bigint_product(a: u64, b: u32) {
    let product = num_bigint::BigUint::from(a) * num_bigint::BigUint::from(b);
    assert_eq!(
        product,
        num_bigint::BigUint::from(u128::from(a) * u128::from(b))
    );
}

#[symex::harness]
fn decimal_any_text(text: [u8; 6]) {
    if let Ok(text) = std::str::from_utf8(&text)
        && let Ok(value) = text.parse::<Decimal>()
    {
        assert_eq!(value.to_string().parse::<Decimal>().unwrap(), value);
    }
}

#[symex::harness]
fn decimal_sum(a: i32, b: i32, scale: u32) {
    symex::assume(scale <= 4);
    let sum = Decimal::new(a.into(), scale) + Decimal::new(b.into(), scale);
    assert_eq!(sum, Decimal::new(i64::from(a) + i64::from(b), scale));
}

#[symex::harness]
fn ryu_round_trip(value: f32) {
    symex::assume(value.is_finite());
    let mut buffer = ryu::Buffer::new();
    let back: f32 = buffer.format_finite(value).parse().unwrap();
    assert_eq!(back.to_bits(), value.to_bits());
}

#[symex::harness]
fn fast_float_agrees_with_std(text: [u8; 4]) {
    if let Ok(text) = std::str::from_utf8(&text) {
        let ours = fast_float2::parse::<f64, _>(text).ok();
        let std = text.parse::<f64>().ok();
        assert_eq!(ours.map(f64::to_bits), std.map(f64::to_bits));
    }
}

#[symex::harness]
fn lexical_parses_like_std(text: [u8; 5]) {
    if let Ok(valid) = std::str::from_utf8(&text) {
        assert_eq!(
            lexical_core::parse::<i16>(&text).ok(),
            valid.parse::<i16>().ok()
        );
    }
}

#[symex::harness]
fn lexical_writes_like_std(value: u32) {
    let mut buffer = [0; 32];
    assert_eq!(
        lexical_core::write(value, &mut buffer),
        value.to_string().as_bytes()
    );
}

#[symex::harness]
fn half_round_trip(bits: u16) {
    let value = half::f16::from_bits(bits);
    symex::assume(!value.is_nan());
    assert_eq!(half::f16::from_f32(value.to_f32()).to_bits(), bits);
}

/// The order is total, also with infinities and not-a-numbers.
#[symex::harness]
fn ordered_float_is_total(a: f32, b: f32, c: f32) {
    use ordered_float::OrderedFloat as F;
    let (a, b, c) = (F(a), F(b), F(c));
    assert_eq!(a.cmp(&b), b.cmp(&a).reverse());
    if a <= b && b <= c {
        assert!(a <= c);
    }
}
