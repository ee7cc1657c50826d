//! What lies in an `UnsafeCell` may be written through shared references, and nothing else.

use std::cell::{Cell, RefCell, UnsafeCell};

// expect: pass-complete
#[symex::harness]
fn cells_are_written_through_shared_references(x: u8) {
    let cell = Cell::new(x);
    let (one, other) = (&cell, &cell);
    one.set(1);
    other.set(2);
    one.set(3);
    let shared = RefCell::new(x);
    *shared.borrow_mut() = 4;
    assert!(cell.get() + *shared.borrow() == 7);
}

struct Half {
    plain: u32,
    cell: UnsafeCell<u32>,
}

fn write(half: &Half, pointer: *mut u32) {
    let _ = half;
    unsafe { *pointer = 5 };
}

// expect: pass-complete
#[symex::harness]
fn the_cell_beside_a_plain_field_is_written(x: u32) {
    let half = Half { plain: x, cell: UnsafeCell::new(x) };
    let shared = &half;
    let pointer = shared.cell.get();
    write(shared, pointer);
    assert!(unsafe { *shared.cell.get() } == 5 && shared.plain == x);
}

// expect: bug aliasing
#[symex::harness]
fn the_plain_field_beside_a_cell_is_written(x: u32) {
    let half = Half { plain: x, cell: UnsafeCell::new(x) };
    let shared = &half;
    let pointer = (&raw const shared.plain).cast_mut();
    write(shared, pointer);
}
