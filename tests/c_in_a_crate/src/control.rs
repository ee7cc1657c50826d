//! Ways of control and of the stack that Rust does not have: jumps out of calls, arrays of variable
//! length, computed goto.

use std::ffi::{c_int, c_uint};

unsafe extern "C" {
    fn parse(text: *const u8, length: usize) -> c_int;
    safe fn jump_back(twice: c_int);
    fn is_palindrome(text: *const u8, length: c_uint) -> c_int;
    safe fn table_sum(rows: c_uint, columns: c_uint, value: u32) -> u32;
    safe fn table_at(columns: c_uint, i: c_uint) -> u32;
    fn run(code: *const u8, length: usize) -> u32;
    fn run_unchecked(code: *const u8) -> u32;
    fn duff(to: *mut u8, from: *const u8, count: c_uint) -> u32;
}

// expect: pass-complete
#[symex::harness]
fn jumps_out_of_calls(text: [u8; 3]) {
    // SAFETY: the slice has these bytes.
    let code = unsafe { parse(text.as_ptr(), 3) };
    let expected = match text.iter().find(|c| !c.is_ascii_digit()) {
        None => 0,
        Some(b'!') => 1,
        Some(_) => 2,
    };
    assert_eq!(code, expected);
}

// expect: bug panic
#[symex::harness]
fn jumps_out_of_calls_wrong(text: [u8; 3]) {
    // SAFETY: the slice has these bytes.
    assert_ne!(unsafe { parse(text.as_ptr(), 3) }, 1);
}

// expect: bug undefined
#[symex::harness]
fn jumps_back_wrong(n: u8) {
    jump_back(c_int::from(n == 3));
}

// expect: pass-complete
#[symex::harness]
fn memory_of_the_stack(text: [u8; 4], length: u8) {
    symex::assume(length <= 4);
    let text = &text[..length.into()];
    // SAFETY: the slice has these bytes.
    let found = unsafe { is_palindrome(text.as_ptr(), length.into()) };
    assert_eq!(found == 1, text.iter().eq(text.iter().rev()));
}

// expect: bug out-of-bounds
#[symex::harness]
fn memory_of_the_stack_wrong(length: u8) {
    // SAFETY: it is not for more than four, and this is to be found.
    unsafe { is_palindrome([1u8, 2, 3, 4].as_ptr(), length.into()) };
}

// expect: pass-complete
#[symex::harness]
fn arrays_of_variable_length(rows: u8, columns: u8, value: u32) {
    symex::assume((1..=3).contains(&rows) && (1..=3).contains(&columns));
    let (m, n) = (u32::from(rows), u32::from(columns));
    let corners = (m * (m - 1) / 2) * (n * (n - 1) / 2);
    let expected = value.wrapping_mul(m * n).wrapping_add(corners);
    assert_eq!(table_sum(m, n, value), expected);
}

// expect: bug out-of-bounds
#[symex::harness]
fn arrays_of_variable_length_wrong(columns: u8, i: u8) {
    symex::assume((1..=8).contains(&columns) && i <= columns);
    table_at(columns.into(), i.into());
}

// expect: pass-complete
#[symex::harness]
fn computed_gotos(code: [u8; 3]) {
    // SAFETY: the slice has these bytes.
    let value = unsafe { run(code.as_ptr(), 3) };
    let expected = match code {
        [0, ..] | [3, 0, ..] => Some(1),
        [1, 0, _] => Some(2),
        [1, 1, 0] => Some(4),
        [2, n, 0] => Some(1 + u32::from(n)),
        _ => None,
    };
    if let Some(expected) = expected
        && code[0] != 3
    {
        assert_eq!(value, expected);
    }
    if code[0] > 3 {
        assert_eq!(value, u32::MAX);
    }
}

// expect: bug out-of-bounds
#[symex::harness]
fn computed_gotos_wrong(code: [u8; 2]) {
    // SAFETY: it is not for all bytes, and this is to be found.
    unsafe { run_unchecked(code.as_ptr()) };
}

// expect: pass-complete
#[symex::harness]
fn cases_within_a_loop(from: [u8; 7], count: u8) {
    symex::assume(count <= 7);
    let mut to = [0; 7];
    // SAFETY: both slices have these bytes.
    unsafe { duff(to.as_mut_ptr(), from.as_ptr(), count.into()) };
    let count = usize::from(count);
    assert_eq!(to[..count], from[..count]);
    assert!(to[count..].iter().all(|b| *b == 0));
}

// expect: bug out-of-bounds
#[symex::harness]
fn cases_within_a_loop_wrong(from: [u8; 7], count: u8) {
    symex::assume(count <= 8);
    let mut to = [0; 7];
    // SAFETY: it is not for eight, and this is to be found.
    unsafe { duff(to.as_mut_ptr(), from.as_ptr(), count.into()) };
}
