//! Errors in C called by Rust called by C.

use std::ffi::{c_int, c_void};

unsafe extern "C" {
    fn split(
        text: *const u8,
        length: usize,
        f: unsafe extern "C" fn(*mut c_void, *const u8),
        context: *mut c_void,
    );
    fn weigh(at: *const u8) -> u8;
    safe fn divide(a: c_int, b: c_int) -> c_int;
}

unsafe extern "C" fn add(context: *mut c_void, at: *const u8) {
    // SAFETY: the context is a sum, and `at` within the text.
    unsafe { *context.cast::<u32>() += u32::from(weigh(at)) }
}

fn sum(text: &[u8]) -> u32 {
    let mut sum = 0u32;
    // SAFETY: the slice has these bytes, and the context is a sum.
    unsafe { split(text.as_ptr(), text.len(), add, (&raw mut sum).cast()) };
    sum
}

// expect: pass-complete
#[symex::harness]
fn through_both(text: [u8; 2]) {
    symex::assume(text.iter().all(|b| b & 3 != 3));
    let of = |b: u8| 10u32.pow(u32::from(b & 3));
    assert_eq!(sum(&text), of(text[0]) + of(text[1]));
}

// expect: bug out-of-bounds
#[symex::harness]
fn through_both_wrong(text: [u8; 2]) {
    sum(&text);
}

// expect: bug division-by-zero
#[symex::harness]
fn divided_wrong(a: i32, b: i8) {
    divide(a, b.into());
}
