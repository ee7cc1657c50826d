//! Undefined behaviour by the classes of the Rust Reference that `undefined` does not have, each
//! with a twin that does the same where it is defined.

use std::hint::black_box;
use std::mem::{MaybeUninit, transmute};

static NUMBER: u32 = 5;

// expect: bug read-only-write
#[symex::harness]
fn a_static_that_is_written(number: u32) {
    unsafe { *black_box(&raw const NUMBER).cast_mut() = number };
    black_box(&NUMBER);
}

// expect: bug read-only-write
#[symex::harness]
fn a_literal_that_is_written(byte: u8) {
    let text: &'static str = black_box("abc");
    unsafe { *text.as_ptr().cast_mut() = byte };
    black_box(text);
}

// expect: pass-complete
#[symex::harness]
fn a_static_that_is_read(number: u32) {
    let read = unsafe { *black_box(&raw const NUMBER) };
    assert!(read == 5 || number != 5);
}

struct Record {
    _number: u32,
    numbers: [u32; 4],
}

// expect: bug out-of-bounds
#[symex::harness]
fn a_field_of_something_smaller(number: u32) {
    let record = (&raw const number).cast::<Record>();
    black_box(unsafe { &raw const (*record).numbers[2] });
}

// expect: pass-complete
#[symex::harness]
fn a_field_of_a_record(number: u32) {
    let numbers = [number; 4];
    let record = Record {
        _number: 1,
        numbers,
    };
    let field = unsafe { &raw const (*black_box(&raw const record)).numbers[2] };
    assert_eq!(unsafe { *field }, number);
}

// expect: bug invalid-assume
#[symex::harness]
fn a_place_that_is_reached(byte: u8) {
    if byte == 7 {
        unsafe { std::hint::unreachable_unchecked() }
    }
}

// expect: pass-complete
#[symex::harness]
fn a_place_that_is_not_reached(byte: u8) {
    if byte & 1 > 1 {
        unsafe { std::hint::unreachable_unchecked() }
    }
}

// expect: bug invalid-assume
#[symex::harness]
fn an_unchecked_sum_that_overflows(a: u8, b: u8) {
    black_box(unsafe { a.unchecked_add(b) });
}

// expect: pass-complete
#[symex::harness]
fn an_unchecked_sum_that_fits(a: u8, b: u8) {
    symex::assume(a < 128 && b < 128);
    assert_eq!(unsafe { a.unchecked_add(b) }, a + b);
}

// expect: bug invalid-assume
#[symex::harness]
fn an_unchecked_index_out_of_bounds(at: usize) {
    let bytes = [1u8, 2, 3];
    black_box(unsafe { *bytes.get_unchecked(at) });
}

// expect: bug invalid-assume
#[symex::harness]
fn a_copy_that_overlaps(byte: u8) {
    let mut bytes = [byte; 8];
    let from = bytes.as_mut_ptr();
    unsafe { std::ptr::copy_nonoverlapping(from, from.add(2), 4) };
    black_box(bytes);
}

// expect: pass-complete
#[symex::harness]
fn a_copy_that_may_overlap(byte: u8) {
    let mut bytes = [byte; 8];
    let from = bytes.as_mut_ptr();
    unsafe { std::ptr::copy(from, from.add(2), 4) };
    assert_eq!(bytes, [byte; 8]);
}

fn one(number: u32) -> u32 {
    number
}

fn two(a: u32, b: u32) -> u32 {
    a ^ b
}

fn float(number: f32) -> f32 {
    number
}

// expect: bug invalid-call
#[symex::harness]
fn a_call_with_too_many_arguments(number: u32) {
    let function: fn(u32, u32) -> u32 = unsafe { transmute(one as fn(u32) -> u32) };
    black_box(black_box(function)(number, number));
}

// expect: bug invalid-call
#[symex::harness]
fn a_call_with_too_few_arguments(number: u32) {
    let function: fn(u32) -> u32 = unsafe { transmute(two as fn(u32, u32) -> u32) };
    black_box(black_box(function)(number));
}

// expect: bug invalid-call
#[symex::harness]
fn a_call_with_another_type(number: u32) {
    let function: fn(u32) -> u32 = unsafe { transmute(float as fn(f32) -> f32) };
    black_box(black_box(function)(number));
}

// expect: pass-complete
#[symex::harness]
fn a_call_as_declared(number: u32) {
    let function: fn(u32, u32) -> u32 = two;
    assert_eq!(black_box(function)(number, 0), number);
}

fn code(letter: char) -> u32 {
    letter.into()
}

fn nothing_of(_number: &u32) {}

// expect: bug invalid-value
#[symex::harness]
fn a_number_that_is_called_a_char(number: u32) {
    let function: fn(u32) -> u32 = unsafe { transmute(code as fn(char) -> u32) };
    black_box(black_box(function)(number));
}

// expect: pass-complete
#[symex::harness]
fn a_char_that_is_called_a_number(number: u32) {
    let function: fn(u32) -> u32 = unsafe { transmute(code as fn(char) -> u32) };
    assert_eq!(black_box(function)(number & 0xff), number & 0xff);
}

// expect: bug invalid-value
#[symex::harness]
fn a_pointer_that_is_called_a_reference(is_null: bool) {
    let function: fn(*const u32) = unsafe { transmute(nothing_of as fn(&u32)) };
    let number = 7;
    black_box(function)(if is_null { std::ptr::null() } else { &number });
}

// expect: bug uninit-use
#[symex::harness]
fn a_local_variable_after_its_scope(number: u32) {
    let place = {
        let inner = number;
        &raw const inner
    };
    black_box(unsafe { *black_box(place) });
}

fn extended<'a>(number: &'a u32) -> &'static u32 {
    unsafe { transmute::<&'a u32, &'static u32>(number) }
}

// expect: bug uninit-use
#[symex::harness]
fn a_local_variable_that_is_compared_after_its_scope(number: u32) {
    let kept = {
        let inner = number ^ 1;
        extended(&inner)
    };
    assert_eq!(*kept, number ^ 2);
}

// expect: pass-complete
#[symex::harness]
fn a_local_variable_that_is_compared_in_its_scope(number: u32) {
    let inner = number ^ 1;
    assert_eq!(*extended(&inner), number ^ 1);
}

/// Returns the sum of eight bytes, of which so many are written.
#[expect(deprecated, invalid_value)]
fn sum_of_written(n: usize) -> u32 {
    let mut bytes: [u8; 8] = unsafe { std::mem::uninitialized() };
    bytes[..n].fill(7);
    bytes.iter().map(|byte| u32::from(*byte)).sum()
}

// expect: bug uninit-use
#[symex::harness]
fn a_byte_of_mem_uninitialized(n: usize) {
    symex::assume(n <= 8);
    assert!(sum_of_written(n) <= 56);
}

// expect: pass-complete
#[symex::harness]
fn a_local_variable_in_its_scope(number: u32) {
    let inner = number;
    let place = &raw const inner;
    assert_eq!(unsafe { *black_box(place) }, number);
}

fn uninit<T>() -> T {
    #[expect(clippy::uninit_assumed_init)]
    unsafe {
        MaybeUninit::uninit().assume_init()
    }
}

// expect: bug uninit-use
#[symex::harness]
fn a_bool_without_a_value(number: u32) {
    if uninit::<bool>() {
        black_box(number);
    }
}

// expect: bug uninit-use
#[symex::harness]
fn an_integer_without_a_value(number: u32) {
    black_box(uninit::<u32>() ^ number);
}

// expect: bug uninit-use
#[symex::harness]
fn a_pointer_without_a_value(_: u32) {
    black_box(uninit::<*const u32>());
}

// expect: bug uninit-use
#[symex::harness]
fn an_array_without_values_compared(byte: u8) {
    let bytes: [u8; 4] = uninit();
    black_box(bytes == [byte; 4]);
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Padded {
    byte: u8,
    number: u32,
}

// expect: bug uninit-use
#[symex::harness]
fn padding_that_is_compared(number: u32) {
    let padded = Padded { byte: 1, number };
    let bytes: &[u8; 8] = unsafe { &*(&raw const padded).cast() };
    if bytes[2] == 7 {
        black_box(padded.byte);
        black_box(padded.number);
    }
}

// expect: bug invalid-value
#[symex::harness]
fn a_function_pointer_that_is_null(number: usize) {
    let number = black_box(number & 0);
    let function: fn() = unsafe { *(&raw const number).cast() };
    function();
}

trait Number {
    fn number(&self) -> u32;
}

impl Number for u32 {
    fn number(&self) -> u32 {
        *self
    }
}

struct Silent {
    _number: u32,
}

impl Number for Silent {
    fn number(&self) -> u32 {
        0
    }
}

// expect: bug null-access
#[symex::harness]
fn a_vtable_that_is_none(number: u32) {
    let object: &dyn Number = &number;
    let (data, _table): (usize, usize) = unsafe { transmute(object) };
    let object: &dyn Number = unsafe { transmute((data, 8usize)) };
    black_box(object.number());
}

// expect: bug dangling-reference
#[symex::harness]
fn a_method_of_what_has_ended(number: u32) {
    let boxed = Box::new(Silent { _number: number });
    let object: &dyn Number = &*boxed;
    let object: &dyn Number = unsafe { transmute::<&dyn Number, &'static dyn Number>(object) };
    drop(boxed);
    black_box(black_box(object).number());
}

// expect: pass-complete
#[symex::harness]
fn a_vtable_taken_apart(number: u32) {
    let object: &dyn Number = &number;
    let (data, table): (*const (), *const ()) = unsafe { transmute(object) };
    let object: &dyn Number = unsafe { transmute((data, table)) };
    assert_eq!(object.number(), number);
}

// expect: bug dangling-reference
#[symex::harness]
fn a_slice_that_is_too_long(number: u32) {
    let numbers = [number; 4];
    black_box(unsafe { std::slice::from_raw_parts(numbers.as_ptr(), 5) });
}

// expect: pass-complete
#[symex::harness]
fn a_slice_of_symbolic_length(numbers: [u32; 4], length: usize) {
    symex::assume(length <= 4);
    let slice = unsafe { std::slice::from_raw_parts(numbers.as_ptr(), length) };
    assert_eq!(slice.len(), length);
}

// expect: inconclusive
#[symex::harness]
fn an_assembly(number: u32) {
    let mut sum = number;
    unsafe { std::arch::asm!("add {0}, 1", inout(reg) sum) };
    black_box(sum);
}

extern "C" fn c_function(number: u32) {
    assert!(number != 5);
}

// expect: bug panic
#[symex::harness]
fn unwinds_out_of_c(number: u32) {
    c_function(number);
}

// expect: bug invalid-assume
#[symex::harness]
fn a_text_that_is_not_utf8(byte: u8) {
    let bytes = [byte];
    let text = unsafe { std::str::from_utf8_unchecked(&bytes) };
    black_box(text.chars().next());
}

// expect: pass-complete
#[symex::harness]
fn a_pointer_made_of_an_integer(number: u32) {
    let address = (&raw const number).expose_provenance();
    let place = std::ptr::with_exposed_provenance::<u32>(black_box(address));
    assert_eq!(unsafe { *place }, number);
}

// expect: pass-complete
#[symex::harness]
fn two_mutable_references(number: u32) {
    let mut place = number;
    let pointer = &raw mut place;
    let (one, other) = unsafe { (&mut *pointer, &mut *pointer) };
    *other = 1;
    *one = 2;
    black_box(place);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "aes")]
fn rounds(number: u64) -> std::arch::x86_64::__m128i {
    use std::arch::x86_64::{_mm_aesenc_si128, _mm_set_epi64x};
    let block = _mm_set_epi64x(0, number.cast_signed());
    _mm_aesenc_si128(block, block)
}

// expect: inconclusive
#[cfg(target_arch = "x86_64")]
#[symex::harness]
fn an_instruction_of_some_processors(number: u64) {
    black_box(unsafe { rounds(number) });
}
