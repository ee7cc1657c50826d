//! References to one variable.

use std::hint::black_box;

// expect: bug aliasing paths 2
#[symex::harness]
fn a_stale_mutable_reference_is_written(x: u8) {
    let mut value = x;
    let pointer = &raw mut value;
    let first = unsafe { &mut *pointer };
    let second = unsafe { &mut *pointer };
    *second = 2;
    // On one path only.
    if x == 7 {
        *first = 1;
    }
}

// expect: pass-complete paths 2
#[symex::harness]
fn mutable_references_one_after_the_other(x: u8) {
    let mut value = x;
    let pointer = &raw mut value;
    let first = unsafe { &mut *pointer };
    *first = 1;
    let second = unsafe { &mut *pointer };
    if x == 7 {
        *second = 2;
    }
    assert!(value == if x == 7 { 2 } else { 1 });
}

unsafe fn set(pointer: *mut u8) {
    unsafe { *pointer = 3 }
}

// expect: bug aliasing
#[symex::harness]
fn what_is_shared_is_written(x: u8) {
    let value = x;
    let shared = &value;
    let pointer = std::ptr::from_ref(shared).cast_mut();
    unsafe { set(pointer) };
}

// expect: pass-complete
#[symex::harness]
fn what_is_mutable_is_written(x: u8) {
    let mut value = x;
    let pointer = &raw mut value;
    unsafe { set(pointer) };
    assert!(value == 3);
}

// expect: bug aliasing
#[symex::harness]
fn a_shared_reference_is_read_after_a_write(x: u8) {
    let mut value = x;
    let pointer = &raw mut value;
    let shared = unsafe { &*pointer };
    unsafe { *pointer = 1 };
    black_box(*shared);
}

// expect: pass-complete
#[symex::harness]
fn a_shared_reference_is_read_after_a_read(x: u8) {
    let mut value = x;
    let pointer = &raw mut value;
    let shared = unsafe { &*pointer };
    let read = unsafe { *pointer };
    assert!(*shared == read);
    unsafe { *pointer = 1 };
}

// expect: bug aliasing
#[symex::harness]
fn a_raw_pointer_is_read_after_its_reference_was_made_again(x: u8) {
    let mut value = x;
    let first = &mut value;
    let pointer = std::ptr::from_mut(&mut *first);
    *first = 3;
    black_box(unsafe { *pointer });
}

// expect: pass-complete
#[symex::harness]
fn a_raw_pointer_is_read_while_nothing_else_is_used(x: u8) {
    let mut value = x;
    let first = &mut value;
    let pointer = std::ptr::from_mut(&mut *first);
    unsafe { *pointer = 3 };
    assert!(unsafe { *pointer } == 3);
    *first = 4;
}

// expect: bug aliasing
#[symex::harness]
fn a_read_whose_result_is_unused(x: u8) {
    let mut value = x;
    let pointer = &raw mut value;
    let shared = unsafe { &*pointer };
    value = 1;
    let _unused = *shared;
    let _unused = value;
}

// expect: bug aliasing
#[symex::harness]
fn a_foreign_read_freezes_what_was_written(x: u8) {
    let mut value = x;
    let parent = &mut value;
    let pointer = std::ptr::from_mut(parent);
    let child = unsafe { &mut *pointer };
    *child = 1;
    black_box(unsafe { *pointer });
    *child = 2;
}

// expect: pass-complete
#[symex::harness]
fn a_foreign_read_before_the_first_write(x: u8) {
    let mut value = x;
    let parent = &mut value;
    let pointer = std::ptr::from_mut(parent);
    let child = unsafe { &mut *pointer };
    black_box(unsafe { *pointer });
    *child = 2;
}

struct Pair {
    one: u32,
    other: u32,
}

// expect: pass-complete
#[symex::harness]
fn references_to_fields(x: u32) {
    let mut pair = Pair { one: x, other: 2 };
    let (one, other) = (&mut pair.one, &mut pair.other);
    *one = *other;
    *other = 5;
    *one = 7;
    assert!(pair.one + pair.other == 12);
}

// expect: bug aliasing
#[symex::harness]
fn a_reference_chosen_by_the_input(x: bool) {
    let (mut a, mut b) = (1, 2);
    let (p, q) = (&raw mut a, &raw mut b);
    let (first, second) = unsafe { (&mut *p, &mut *q) };
    unsafe { *q = 3 };
    let chosen = if x { second } else { first };
    *chosen = 4;
}

// expect: bug dangling-reference
#[symex::harness]
fn a_reference_to_what_is_out_of_scope(x: u8) {
    let reference: &&u8 = unsafe {
        let value = x;
        &&*&raw const value
    };
    let _unused = || match reference {
        &&_value => {}
    };
}

// expect: bug dangling-reference
#[symex::harness]
fn a_reference_to_an_address(x: u8) {
    let pointer = std::ptr::without_provenance::<u32>(36);
    if x == 9 {
        let _unused = unsafe { &*pointer };
    }
}

// expect: pass-complete
#[symex::harness]
fn a_reference_to_nothing_at_an_address() {
    let pointer = std::ptr::without_provenance::<()>(36);
    let _unused = unsafe { &*pointer };
    let none: Option<&u32> = None;
    assert!(black_box(none).is_none());
}
