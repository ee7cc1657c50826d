//! Panics that leave Rust for C: across `extern "C"`, which aborts, and across `extern "C-unwind"`,
//! which may be caught.

use std::panic::catch_unwind;

unsafe extern "C-unwind" {
    safe fn pass_through(f: extern "C-unwind" fn(u32) -> u32, x: u32) -> u32;
    safe fn pass_through_plain(f: extern "C-unwind" fn(u32) -> u32, x: u32) -> u32;
}

unsafe extern "C" {
    static cleaned: u32;
    #[link_name = "pass_through"]
    #[allow(clashing_extern_declarations)]
    safe fn pass_nothing(f: extern "C" fn(u32) -> u32, x: u32) -> u32;
    #[link_name = "pass_through_plain"]
    #[allow(clashing_extern_declarations)]
    safe fn pass_against_its_word(f: extern "C-unwind" fn(u32) -> u32, x: u32) -> u32;
}

extern "C-unwind" fn halved(x: u32) -> u32 {
    assert!(x % 2 == 0, "{x} is odd");
    x / 2
}

extern "C" fn halved_or_abort(x: u32) -> u32 {
    assert!(x % 2 == 0, "{x} is odd");
    x / 2
}

struct Count<'a>(&'a std::cell::Cell<u32>);

impl Drop for Count<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

// expect: pass-complete
#[symex::harness]
fn caught_behind_c(x: u32) {
    let drops = std::cell::Cell::new(0);
    let result = catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _count = Count(&drops);
        pass_through(halved, x)
    }));
    assert_eq!(drops.get(), 1);
    // SAFETY: there is one thread.
    assert_eq!(unsafe { (&raw const cleaned).read() }, 1);
    match result {
        Ok(half) => assert!(x % 2 == 0 && half == x / 2 + 1),
        Err(payload) => {
            assert!(x % 2 == 1);
            assert!(payload.downcast_ref::<String>().is_some());
        }
    }
}

// expect: bug panic
#[symex::harness]
fn caught_behind_c_wrong(x: u32) {
    symex::assume(x > 100);
    pass_through(halved, x);
}

// expect: pass-complete
#[symex::harness]
fn caught_behind_c_without_exceptions(x: u8) {
    let result = catch_unwind(|| pass_through_plain(halved, x.into()));
    assert_eq!(result.is_err(), x % 2 == 1);
}

// expect: pass-complete
#[symex::harness]
fn nothing_to_catch(x: u32) {
    symex::assume(x % 2 == 0);
    assert_eq!(pass_nothing(halved_or_abort, x), x / 2 + 1);
}

// expect: bug abort
#[symex::harness]
fn not_to_be_caught_wrong(x: u32) {
    let result = catch_unwind(|| pass_nothing(halved_or_abort, x));
    assert!(result.is_ok());
}

// expect: bug undefined
#[symex::harness]
fn against_its_word_wrong(x: u32) {
    let result = catch_unwind(|| pass_against_its_word(halved, x));
    assert!(result.is_ok() || x % 2 == 1);
}

// expect: pass-complete
#[symex::harness(should_panic)]
fn expected_behind_c(x: u32) {
    symex::assume(x % 2 == 1);
    pass_through_plain(halved, x);
}
