//! Unwinding.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};

// expect: pass-complete
#[symex::harness]
fn caught_panics_are_no_bugs(n: u8) {
    let r = catch_unwind(|| {
        if n == 42 {
            panic!("boom");
        }
        n
    });
    match r {
        Ok(m) => assert!(m == n && n != 42),
        Err(e) => {
            assert_eq!(n, 42);
            assert_eq!(e.downcast_ref::<&str>(), Some(&"boom"));
        }
    }
}

struct Count<'a>(&'a Cell<u32>);
impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

// expect: pass-complete
#[symex::harness]
fn drops_run_while_unwinding(n: u8) {
    let drops = Cell::new(0);
    let r = catch_unwind(AssertUnwindSafe(|| {
        let _a = Count(&drops);
        let v = vec![Count(&drops), Count(&drops)];
        if n > 100 {
            panic!("{n} is too much");
        }
        drop(v);
    }));
    assert_eq!(drops.get(), 3);
    assert_eq!(r.is_err(), n > 100);
}

// expect: pass-complete
#[symex::harness(should_panic)]
fn panics_as_it_should(n: u8) {
    let v: Vec<u8> = Vec::new();
    std::hint::black_box(v[n as usize]);
}

// expect: bug panic
#[symex::harness(should_panic)]
fn does_not_always_panic(n: u8) {
    assert!(n < 4);
}

// expect: bug panic
#[symex::harness]
fn borrows_twice(n: u8) {
    let c = RefCell::new(n);
    let _a = c.borrow_mut();
    if n == 1 {
        let _b = c.borrow_mut();
    }
}

// expect: bug panic
#[symex::harness]
fn returns_an_error(n: u8) -> Result<(), String> {
    if n == 200 {
        Err(format!("bad {n}"))
    } else {
        Ok(())
    }
}

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static NAMES: RefCell<Vec<String>> = RefCell::new(vec!["a".to_string()]);
}

// expect: pass-complete
#[symex::harness]
fn thread_locals(n: u8) {
    DEPTH.set(DEPTH.get() + n as u32);
    NAMES.with_borrow_mut(|v| v.push("b".into()));
    assert_eq!(DEPTH.get(), n as u32);
    assert_eq!(NAMES.with_borrow(|v| v.len()), 2);
}

/// Frees memory when it is dropped.
struct Owner(*mut u8);

impl Drop for Owner {
    fn drop(&mut self) {
        unsafe { std::alloc::dealloc(self.0, std::alloc::Layout::new::<u8>()) };
    }
}

/// Panics for indices beyond 1, while two owners have the same memory.
fn twice(index: usize) -> u8 {
    let memory = unsafe { std::alloc::alloc(std::alloc::Layout::new::<u8>()) };
    let (a, b) = (Owner(memory), Owner(memory));
    let found = std::hint::black_box(vec![1, 2])[index];
    std::mem::forget(b);
    drop(a);
    found
}

// expect: bug double-free
#[symex::harness(should_panic)]
fn destructors_behind_an_expected_panic(index: usize) {
    symex::assume(index > 1);
    twice(index);
}

// expect: bug panic double-free
#[symex::harness]
fn destructors_behind_a_panic(index: usize) {
    twice(index);
}

struct Panics(bool);

impl Drop for Panics {
    fn drop(&mut self) {
        assert!(!self.0, "in a destructor");
    }
}

// expect: bug abort
#[symex::harness(should_panic)]
fn a_destructor_panics_behind_an_expected_panic(again: bool) {
    let _guard = Panics(again);
    panic!("expected");
}

struct Watches<'a>(&'a Cell<bool>);

impl Drop for Watches<'_> {
    fn drop(&mut self) {
        // Natively, this is what happens.
        if !std::thread::panicking() {
            std::process::abort();
        }
        self.0.set(true);
    }
}

// expect: pass-complete
#[symex::harness(should_panic)]
fn destructors_know_that_a_panic_is_on_its_way(number: u8) {
    let is_dropped = Cell::new(false);
    let _outer = Watches(&is_dropped);
    let lock = std::sync::Mutex::new(number);
    let _guard = lock.lock();
    panic!("expected {number}");
}
