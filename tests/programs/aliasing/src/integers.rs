//! Pointers made of integers may be any reference whose address was exposed.

use std::hint::black_box;

// expect: pass-complete
#[symex::harness]
fn a_pointer_made_of_the_address_of_a_live_reference(x: u8) {
    let mut value = x;
    let exposed = &mut value;
    let address = std::ptr::from_mut(exposed).expose_provenance();
    let pointer = std::ptr::with_exposed_provenance_mut::<u8>(address);
    unsafe { *pointer = 3 };
    assert!(*exposed == 3);
}

// expect: pass-complete
#[symex::harness]
fn a_pointer_may_be_the_one_that_is_still_allowed(x: u8) {
    let mut value = x;
    let base = &raw mut value;
    let address = base.expose_provenance();
    let first = unsafe { &mut *base };
    let _ = std::ptr::from_mut(first).expose_provenance();
    let pointer = std::ptr::with_exposed_provenance_mut::<u8>(address);
    let second = unsafe { &mut *base };
    *second = 2;
    unsafe { *pointer = 3 };
    assert!(unsafe { *base } == 3);
}

// expect: bug aliasing
#[symex::harness]
fn a_pointer_made_of_the_address_of_a_stale_reference(x: u8) {
    let mut value = x;
    let base = &raw mut value;
    let (exposed, other) = unsafe { (&mut *base, &mut *base) };
    let address = std::ptr::from_mut(exposed).expose_provenance();
    let pointer = std::ptr::with_exposed_provenance::<u8>(address);
    *other = 2;
    black_box(unsafe { *pointer });
}

// expect: bug aliasing
#[symex::harness]
fn a_reference_made_of_a_pointer_made_of_an_integer(x: u8) {
    let mut value = x;
    let address = (&raw mut value).expose_provenance();
    let pointer = std::ptr::with_exposed_provenance_mut::<u8>(address);
    let reference = unsafe { &mut *pointer };
    value = 1;
    *reference = 2;
    black_box(value);
}
