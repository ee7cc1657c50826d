//! Symbols across languages: variables of both, thread-locals, weak symbols, aliases, constructors.

use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::{AtomicU32, Ordering};

unsafe extern "C" {
    static mut c_counter: u32;
    static mut counter_by_another_name: u32;
    static c_names: [Name; 3];
    safe fn count_both(by: u32) -> u32;
    safe fn rust_table_at(i: u8) -> u16;
    safe fn depth_add(by: u32) -> u32;
    safe fn depth_at() -> *mut u32;
    safe fn call_chosen(x: u32) -> u32;
    safe fn call_other(x: u32) -> u32;
    safe fn has_absent() -> c_int;
    fn call_absent(x: u32) -> u32;
    safe fn same_as_original(x: u32) -> u32;
    safe fn constructed() -> u32;
    safe fn through_helper(x: u32) -> u32;
}

#[repr(transparent)]
struct Name(*const c_char);

// SAFETY: it is constant.
unsafe impl Sync for Name {}

#[unsafe(no_mangle)]
static rust_counter: AtomicU32 = AtomicU32::new(7);

#[unsafe(no_mangle)]
static rust_table: [u16; 4] = [10, 20, 30, 40];

#[unsafe(no_mangle)]
extern "C" fn chosen(x: u32) -> u32 {
    x ^ 2
}

/// Rust's function of a name that C uses for another one.
#[inline(never)]
fn helper(x: u32) -> u32 {
    x.wrapping_add(200)
}

// expect: pass-complete
#[symex::harness]
fn variables_of_both(by: u32) {
    let both = count_both(by);
    // SAFETY: there is one thread.
    let ours = unsafe { c_counter };
    let theirs = rust_counter.load(Ordering::Relaxed);
    assert_eq!(ours, by.wrapping_add(5));
    assert_eq!(theirs, by.wrapping_mul(2).wrapping_add(7));
    assert_eq!(both, ours ^ theirs);
    // SAFETY: there is one thread.
    assert_eq!(unsafe { counter_by_another_name }, ours);
}

// expect: bug panic
#[symex::harness]
fn variables_of_both_wrong(by: u32) {
    count_both(by);
    assert_ne!(rust_counter.load(Ordering::Relaxed), 0x1235);
}

// expect: pass-complete
#[symex::harness]
fn tables_of_both(i: u8) {
    symex::assume(i < 3);
    assert_eq!(rust_table_at(i), u16::from(i) * 10 + 10);
    // SAFETY: it is a string.
    let name = unsafe { CStr::from_ptr(c_names[usize::from(i)].0) };
    assert_eq!(name, [c"zero", c"one", c"two"][usize::from(i)]);
}

// expect: bug out-of-bounds
#[symex::harness]
fn tables_of_both_wrong(i: u8) {
    rust_table_at(i);
}

// expect: pass-complete
#[symex::harness]
fn thread_locals(by: u32) {
    assert_eq!(depth_add(by), by.wrapping_add(3));
    // SAFETY: it is this thread's.
    unsafe { *depth_at() = 1 };
    assert_eq!(depth_add(1), 2);
}

// expect: bug panic
#[symex::harness]
fn thread_locals_wrong(by: u32) {
    assert!(depth_add(by) != 0);
}

// expect: pass-complete
#[symex::harness]
fn weak_and_aliased(x: u32) {
    assert_eq!(call_chosen(x), x ^ 2);
    assert_eq!(call_other(x), x.wrapping_add(1));
    assert_eq!(has_absent(), 0);
    assert_eq!(same_as_original(x), x ^ 0x5a);
    assert_eq!(through_helper(x).wrapping_add(100), helper(x));
}

// expect: bug invalid-call
#[symex::harness]
fn weak_and_absent_wrong(x: u32) {
    if x == 12 {
        // SAFETY: there is no such function, and this is to be found.
        unsafe { call_absent(x) };
    }
}

// expect: pass-complete
#[symex::harness]
fn constructors() {
    assert_eq!(constructed(), 12);
}

// expect: bug panic
#[symex::harness]
fn constructors_wrong(n: u32) {
    assert_ne!(constructed(), n);
}
