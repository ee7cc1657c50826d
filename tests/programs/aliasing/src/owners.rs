//! `Box` and other owners.

use std::rc::Rc;

// expect: bug aliasing
#[symex::harness]
fn a_pointer_into_a_box_that_was_written_itself(x: u8) {
    let mut owner = Box::new(x);
    let pointer = std::ptr::from_mut(&mut *owner);
    *owner = 2;
    unsafe { *pointer = 3 };
}

// expect: pass-complete
#[symex::harness]
fn a_box_by_its_raw_pointer(x: u8) {
    let pointer = Box::into_raw(Box::new(x));
    unsafe { *pointer = 3 };
    let mut owner = unsafe { Box::from_raw(pointer) };
    *owner += 1;
    let moved = owner;
    assert!(*moved == 4);
}

// expect: pass-complete
#[symex::harness]
fn counted_owners(x: u8) {
    let mut one = Rc::new(x);
    let other = Rc::clone(&one);
    *Rc::make_mut(&mut one) = 3;
    drop(other);
    *Rc::get_mut(&mut one).unwrap() += 1;
    assert!(*one == 4);
}
