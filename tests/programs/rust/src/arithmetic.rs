//! Integers of all widths.

// expect: bug panic
#[symex::harness]
fn add_overflows(a: u8, b: u8) {
    let _ = std::hint::black_box(a + b);
}

// expect: pass-complete
#[symex::harness]
fn checked_add_is_total(a: u64, b: u64) {
    match a.checked_add(b) {
        Some(s) => assert!(s >= a && s >= b),
        None => assert!(a > u64::MAX - b),
    }
}

// expect: pass-complete
#[symex::harness]
fn u128_round_trip(a: u64, b: u64) {
    let wide = (a as u128) << 64 | b as u128;
    assert_eq!((wide >> 64) as u64, a);
    assert_eq!(wide as u64, b);
    assert_eq!(wide.swap_bytes().swap_bytes(), wide);
}

// expect: bug panic
#[symex::harness]
fn division_by_zero(a: i32, b: i32) {
    if b < 3 && b > -3 && b != 1 && b != 2 && b != -1 && b != -2 {
        let _ = std::hint::black_box(a / b);
    }
}

// expect: bug panic
#[symex::harness]
fn magic_number(x: u32) {
    assert!(x.wrapping_mul(0x9e37_79b9).rotate_left(7) != 0x1234_5678);
}

// expect: pass-complete
#[symex::harness]
fn bits_agree(x: u32) {
    assert_eq!(x.count_ones() + x.count_zeros(), 32);
    assert_eq!(x.leading_zeros(), x.reverse_bits().trailing_zeros());
    assert_eq!(u32::from_be_bytes(x.to_le_bytes()), x.swap_bytes());
}

// expect: pass-complete
#[symex::harness]
fn saturating_and_wrapping(a: i16, b: i16) {
    let exact = a as i32 + b as i32;
    assert_eq!(
        a.saturating_add(b) as i32,
        exact.clamp(i16::MIN as i32, i16::MAX as i32)
    );
    assert_eq!(a.wrapping_add(b), exact as i16);
    assert_eq!(a.overflowing_add(b).1, exact != exact as i16 as i32);
}

// expect: pass-complete
#[symex::harness]
fn abs_diff(a: i8, b: i8) {
    let d = a.abs_diff(b);
    assert_eq!(d as i32, (a as i32 - b as i32).abs());
}

// expect: pass-complete
#[symex::harness]
fn midpoint_of_bytes(a: u8, b: u8) {
    assert_eq!(a.midpoint(b) as u32, (a as u32 + b as u32) / 2);
}

// expect: bug panic
#[symex::harness]
fn shift_overflows(n: u32) {
    let _ = std::hint::black_box(1u32 << n);
}

// expect: bug panic
#[symex::harness]
fn negation_overflows(n: i64) {
    let _ = std::hint::black_box(-n);
}

/// Divides two words by one with the processor's own instruction, as libraries for large numbers do.
fn divided(high: u64, low: u64, by: u64) -> (u64, u64) {
    let (quotient, rest);
    unsafe {
        std::arch::asm!(
            "div {}",
            in(reg) by,
            inout("rdx") high => rest,
            inout("rax") low => quotient,
            options(pure, nomem, nostack)
        );
    }
    (quotient, rest)
}

// expect: pass-complete
#[symex::harness]
fn two_words_are_divided(high: u8, by: u8) {
    symex::assume(high < by);
    let low = 0x0123_4567_89ab_cdef;
    let (quotient, rest) = divided(high.into(), low, by.into());
    let whole = u128::from(high) << 64 | u128::from(low);
    assert_eq!(u128::from(quotient), whole / u128::from(by));
    assert_eq!(u128::from(rest), whole % u128::from(by));
}

// expect: bug division-by-zero
#[symex::harness]
fn a_quotient_of_more_than_a_word(high: u64) {
    divided(high, 3, 100);
}

// expect: pass-complete
#[symex::harness]
fn words_are_multiplied(a: u8, b: u64) {
    let (low, high): (u64, u64);
    unsafe {
        std::arch::asm!(
            "mul {}",
            in(reg) b,
            inout("rax") u64::from(a) => low,
            out("rdx") high,
            options(pure, nomem, nostack)
        );
    }
    assert_eq!(low, u64::from(a).wrapping_mul(b));
    assert!(high <= u64::from(a));
}

/// Returns a square root by an instruction of its own, as `libm` does.
fn square_root(mut x: f64) -> f64 {
    unsafe {
        std::arch::asm!("sqrtsd {x}, {x}", x = inout(xmm_reg) x, options(pure, nomem, nostack));
    }
    x
}

// expect: pass-complete
#[symex::harness]
fn square_roots_by_assembly(x: u16) {
    let x = f64::from(x);
    assert_eq!(square_root(x), x.sqrt());
    assert_eq!(square_root(x * x), x);
    assert!(square_root(-1.0 - x).is_nan());
}

/// Replaces a word if a byte is not 0, without a branch, as crates for cryptography do.
fn replaced_if(condition: u8, mut word: u32, by: u32) -> u32 {
    unsafe {
        std::arch::asm!(
            "test {0}, {0}",
            "cmovnz {1:e}, {2:e}",
            in(reg_byte) condition,
            inlateout(reg) word,
            in(reg) by,
            options(pure, nomem, nostack),
        );
    }
    word
}

/// Returns `then` if two short words are equal, else `other`.
fn chosen_if_equal(a: u16, b: u16, then: u16, mut other: u16) -> u16 {
    unsafe {
        std::arch::asm!(
            "xor {0:x}, {1:x}",
            "cmovz {2:e}, {3:e}",
            inout(reg) a => _,
            in(reg) b,
            inlateout(reg) other,
            in(reg) then,
            options(pure, nomem, nostack),
        );
    }
    other
}

// expect: pass-complete
#[symex::harness]
fn words_are_chosen_without_a_branch(condition: u8, word: u32, by: u32, a: u16, b: u16) {
    assert_eq!(replaced_if(condition, word, by), if condition != 0 { by } else { word });
    assert_eq!(chosen_if_equal(a, b, 7, 9), if a == b { 7 } else { 9 });
}

// expect: pass-complete
#[symex::harness]
fn flags_are_those_of_the_processor(a: i32, b: i32) {
    let (less, below, above, sum, all): (u8, u8, u8, u64, u64);
    unsafe {
        std::arch::asm!(
            "cmp {a:e}, {b:e}",
            "setl {less}",
            "setb {below}",
            "seta {above}",
            "mov {all}, -1",
            "mov {sum:e}, {a:e}",
            "add {sum:e}, {b:e}",
            "not {all:e}",
            a = in(reg) a,
            b = in(reg) b,
            less = out(reg_byte) less,
            below = out(reg_byte) below,
            above = out(reg_byte) above,
            sum = out(reg) sum,
            all = out(reg) all,
            options(pure, nomem, nostack),
        );
    }
    assert_eq!(less == 1, a < b);
    assert_eq!(below == 1, (a as u32) < b as u32);
    assert_eq!(above == 1, a as u32 > b as u32);
    assert_eq!(sum, u64::from((a as u32).wrapping_add(b as u32)));
    assert_eq!(all, 0);
}

// expect: bug panic
#[symex::harness]
fn a_word_that_is_replaced(condition: u8, word: u32) {
    assert_ne!(replaced_if(condition, word, 5), 5);
}
