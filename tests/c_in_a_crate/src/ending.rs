//! C code that runs at the end of the process, which for a harness is its own.

unsafe extern "C" {
    safe fn open_some(count: u32);
}

// expect: pass-complete
#[symex::harness]
fn after_the_harness(count: u32) {
    symex::assume(count != 3 && count != 77);
    open_some(count);
}

// expect: bug abort
#[symex::harness]
fn given_to_atexit_wrong(count: u32) {
    symex::assume(count != 77);
    open_some(count);
}

// expect: bug abort
#[symex::harness]
fn destructors_wrong(count: u32) {
    symex::assume(count != 3);
    open_some(count);
}
