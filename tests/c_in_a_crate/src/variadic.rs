//! Functions with variable arguments, which Rust calls.

use std::ffi::{CStr, c_char, c_int};

#[repr(C)]
#[derive(Clone, Copy)]
struct ThreeWords {
    words: [u64; 3],
}

#[repr(C)]
#[derive(Clone, Copy)]
struct HalfFloat {
    n: u32,
    x: f32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct TwoFloats {
    x: f64,
    y: f64,
}

unsafe extern "C" {
    fn total(format: *const c_char, ...) -> i64;
    fn structures(count: c_int, ...) -> u64;
    fn write_text(to: *mut c_char, size: usize, format: *const c_char, ...) -> c_int;
    fn sum_of(count: c_int, ...) -> c_int;
}

// expect: pass-complete
#[symex::harness]
fn numbers_and_strings(a: i32, b: i16, negative: bool, text: [u8; 3]) {
    let d: f64 = if negative { -1.5 } else { 2.5 };
    let word = b as u16;
    let ends = [text[0], text[1], text[2], 0];
    let ends_at = ends.iter().position(|b| *b == 0).expect("the last is");
    // More of each than there are registers for; the last ones are symbolic.
    // SAFETY: the letters say what is passed.
    let sum = unsafe {
        total(
            c"idsiiddldiddiddidp".as_ptr(),
            a,
            1.5,
            ends.as_ptr(),
            1,
            2,
            1.5,
            1.5,
            3i64 << 40,
            1.5,
            4,
            1.5,
            1.5,
            5,
            1.5,
            1.5,
            c_int::from(b),
            d,
            &word,
        )
    };
    let thousands = if negative { 7000 } else { 9000 };
    let known = 1 + 2 + (3i64 << 40) + 4 + 5 + thousands + ends_at as i64;
    assert_eq!(sum, known + i64::from(a) + i64::from(b) + i64::from(word));
}

// expect: bug panic
#[symex::harness]
fn numbers_and_strings_wrong(a: i32, l: i64) {
    symex::assume(l.unsigned_abs() < 1 << 40);
    // SAFETY: the letters say what is passed.
    let sum = unsafe { total(c"lidl".as_ptr(), l, a, 0.5, l) };
    assert_ne!(sum, 0x77_1234_5679);
}

// expect: pass-complete
#[symex::harness]
fn structures_among_them(n: [u32; 2], less: [bool; 2], words: [[u64; 3]; 2]) {
    let h = |i: usize| HalfFloat { n: n[i], x: -1.0 };
    let f = |i: usize| TwoFloats {
        x: if less[i] { 0.5 } else { 1.5 },
        y: 1.0,
    };
    let t = |i: usize| ThreeWords { words: words[i] };
    // SAFETY: the count is that of the arguments.
    let sum = unsafe { structures(2, h(0), f(0), t(0), h(1), f(1), t(1)) };
    let part = |i: usize| {
        (u64::from(n[i]) + 1 + 2 * u64::from(less[i]))
            .wrapping_add(words[i][0])
            .wrapping_add(words[i][2])
    };
    let expected = part(0).wrapping_mul(31).wrapping_add(part(1)) ^ u64::from(n[0]);
    assert_eq!(sum, expected);
}

// expect: bug panic
#[symex::harness]
fn structures_among_them_wrong(n: u32, word: u64) {
    let (h, f) = (HalfFloat { n, x: 1.0 }, TwoFloats { x: 1.0, y: 0.0 });
    let t = ThreeWords {
        words: [0, 0, word],
    };
    // SAFETY: the count is that of the arguments.
    assert_ne!(unsafe { structures(1, h, f, t) }, 0x4_0000_0001);
}

// expect: pass-complete
#[symex::harness]
fn texts_with_a_list(n: u8, c: u8) {
    symex::assume(c.is_ascii_graphic());
    let mut text = [1u8; 16];
    // SAFETY: the format says what is passed.
    let length = unsafe {
        write_text(
            text.as_mut_ptr().cast(),
            text.len(),
            c"%s=%d%c %ld".as_ptr(),
            c"n".as_ptr(),
            c_int::from(n),
            c_int::from(c),
            -7i64,
        )
    };
    let written = CStr::from_bytes_until_nul(&text).expect("ends").to_bytes();
    assert_eq!(length as usize, written.len());
    assert_eq!(written, format!("n={n}{} -7", c as char).as_bytes());
}

// expect: bug out-of-bounds
#[symex::harness]
fn texts_with_a_list_wrong(n: u16) {
    let mut text = [0u8; 8];
    // SAFETY: it is not for five digits, and this is to be found.
    unsafe {
        write_text(
            text.as_mut_ptr().cast(),
            16,
            c"n: %d%d".as_ptr(),
            c_int::from(n),
            c_int::from(n / 10000),
        )
    };
}

// expect: bug out-of-bounds
#[symex::harness]
fn fewer_than_told_wrong(count: u8) {
    // SAFETY: it is not for more than two, and this is to be found.
    unsafe { sum_of(c_int::from(count), 1u32, 2u32) };
}
