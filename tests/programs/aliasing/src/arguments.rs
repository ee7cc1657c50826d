//! References that are arguments: their functions rely on them.

use std::hint::black_box;

#[inline(never)]
fn write_both(reference: &mut u8, pointer: *mut u8) {
    *reference = 1;
    unsafe { *pointer = 2 };
}

// expect: bug aliasing
#[symex::harness]
fn a_caller_s_pointer_writes_behind_an_argument(x: u8) {
    let mut value = x;
    let pointer = &raw mut value;
    write_both(unsafe { &mut *pointer }, pointer);
}

// expect: pass-complete
#[symex::harness]
fn pointers_to_two_variables(x: u8) {
    let (mut one, mut other) = (x, x);
    write_both(&mut one, &raw mut other);
    assert!(one == 1 && other == 2);
}

fn write_and_read(reference: &mut u8, pointer: *const u8) -> u8 {
    *reference = 1;
    unsafe { *pointer }
}

// expect: bug aliasing
#[symex::harness]
fn a_caller_s_pointer_reads_what_an_argument_wrote(x: u8) {
    let mut value = x;
    let pointer = &raw mut value;
    black_box(write_and_read(unsafe { &mut *pointer }, pointer));
}

fn only_read(reference: &u8, pointer: *const u8) -> bool {
    *reference == unsafe { *pointer }
}

// expect: pass-complete
#[symex::harness]
fn a_caller_s_pointer_reads_what_an_argument_reads(x: u8) {
    let value = x;
    assert!(only_read(&value, &raw const value));
}

fn pass_on(reference: &mut u8) -> &mut u8 {
    *reference += 1;
    reference
}

// expect: pass-complete
#[symex::harness]
fn a_returned_reference_is_used(x: u8) {
    let mut value = x / 2;
    let returned = pass_on(pass_on(&mut value));
    *returned = 9;
    assert!(value == 9);
}

fn end_early(reference: &mut u8, fails: bool) -> Result<u8, u8> {
    *reference = 1;
    if fails {
        return Err(*reference);
    }
    Ok(2)
}

// expect: pass-complete
#[symex::harness]
fn protection_ends_with_the_function(fails: bool) {
    let mut value = 0;
    let pointer = &raw mut value;
    let ended = end_early(unsafe { &mut *pointer }, fails);
    unsafe { *pointer = 3 };
    assert!(ended.is_err() == fails && value == 3);
}

fn drops(owner: Box<u8>) -> u8 {
    *owner
}

// expect: pass-complete
#[symex::harness]
fn an_owner_that_is_dropped_where_it_is_an_argument(x: u8) {
    assert!(drops(Box::new(x)) == x);
}

#[inline(never)]
fn frees(_reference: &mut u8, pointer: *mut u8) {
    drop(unsafe { Box::from_raw(pointer) });
}

// expect: bug aliasing
#[symex::harness]
fn memory_is_freed_behind_an_argument(x: u8) {
    let pointer = Box::into_raw(Box::new(x));
    frees(unsafe { &mut *pointer }, pointer);
}
