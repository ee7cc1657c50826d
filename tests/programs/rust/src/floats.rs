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
