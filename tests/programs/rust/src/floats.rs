//! Floating point, concrete and symbolic.

// expect: pass-complete
#[symex::harness]
fn concrete_math(n: u8) {
    let x = 2.0f64.sqrt();
    assert!((x * x - 2.0).abs() < 1e-12);
    assert_eq!((7.9f32) as u8, 7);
    assert_eq!(f64::NAN as i32, 0);
    assert_eq!(format!("{:.2}", 1.005e3), "1005.00");
    assert_eq!("2.5e1".parse::<f64>(), Ok(25.0));
    assert!((n as f32) <= 255.0);
}

// expect: bug panic
#[symex::harness]
fn float_equation(x: f32) {
    assert!(!(x > 1.0 && x < 2.0 && x * 2.0 == 2.5));
}

// expect: pass-complete
#[symex::harness]
fn small_integers_survive(x: u16) {
    assert_eq!(x as f32 as u16, x);
}

// expect: bug panic
#[symex::harness]
fn nan_is_not_equal(bits: u32) {
    let x = f32::from_bits(bits);
    assert!(x == x);
}

// expect: pass-complete
#[symex::harness]
fn sines_are_small(x: f32) {
    symex::assume(x.is_finite());
    let (sin, cos) = x.sin_cos();
    assert!(sin.abs() <= 1.0 && cos.abs() <= 1.0);
}

// expect: bug panic
#[symex::harness]
fn a_sine_that_is_no_number(x: f64) {
    assert!(!x.sin().is_nan());
}

// expect: bug panic
#[symex::harness]
fn a_sine_that_is_large(x: f64) {
    symex::assume(x > 0.0 && x < 3.0);
    assert!(x.sin() < 0.999);
}

// expect: pass-complete
#[symex::harness]
fn exponentials_grow(x: f64) {
    symex::assume(x > 1.0 && x < 100.0);
    assert!(x.exp() > 2.0);
}

// expect: pass-complete
#[symex::harness]
fn powers_grow(x: u64, y: u64) {
    symex::assume(10 < y && y < x && x < 30);
    let root = |n: u64| (n as f64).powf(0.618) as u64;
    assert!(root(x) >= root(y));
}

// expect: bug panic
#[symex::harness]
fn digits_by_logarithm(n: u64) {
    symex::assume(n > 0);
    let digits = (n as f64).log10() as usize + 1;
    assert_eq!(n.to_string().len(), digits);
}

// expect: pass-complete
#[symex::harness]
fn linear_light(pixel: [u8; 4]) {
    let linear = |v: u8| (f32::from(v) / 255.0).powf(2.2);
    let sum: f32 = pixel.iter().map(|v| linear(*v)).sum();
    assert!((0.0..4.01).contains(&sum));
}

// expect: vacuous
#[symex::harness]
fn sines_that_no_angle_has(x: f64) {
    let sin = x.sin();
    symex::cover!(sin > 0.5, "large");
    symex::cover!(sin > 1.5, "larger");
}

// expect: pass-complete
#[symex::harness]
fn half_lives(n: u8, half: u8) {
    symex::assume(half > 0);
    let left = 0.5f64.powf(f64::from(n) / f64::from(half));
    assert!(left > 0.0 && left <= 1.0);
}

// expect: pass-complete
#[symex::harness]
fn digits_of_few_by_logarithm(n: u32) {
    symex::assume(n > 0);
    let digits = f64::from(n).log10() as usize + 1;
    assert_eq!(n.to_string().len(), digits);
}
