//! Native bodies of the hooks in [`crate::abi::HOOKS`].
//!
//! The engine never executes them. In a native process they take the next input of the running
//! replay or random run (`native/`). They unwind (hence `C-unwind`): a random run leaves a rejected
//! input by unwinding.

use core::ffi::{CStr, c_char, c_int, c_void};

use crate::native::active;

/// Returns the text of a C string.
///
/// # Safety
/// `name` is a NUL-terminated string.
unsafe fn text<'a>(name: *const c_char) -> &'a str {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(name) }.to_str().unwrap_or("?")
}

/// Fills `size` bytes at `ptr` with one draw.
///
/// # Safety
/// `ptr` is valid for writes of `size` bytes, `name` a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_make_symbolic(
    ptr: *mut u8,
    size: usize,
    name: *const c_char,
) {
    // SAFETY: the caller's promise.
    let bytes = active::draw_bytes(size, unsafe { text(name) });
    // SAFETY: `bytes` has `size` bytes and is a fresh allocation.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), ptr, size) }
}

/// Draws a value of `bits` bits, zero-extended.
///
/// # Safety
/// `name` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_any_int(bits: u32, name: *const c_char) -> u64 {
    // SAFETY: the caller's promise.
    active::draw_int(bits, unsafe { text(name) })
}

/// Draws a value in `lo..=hi`.
///
/// # Safety
/// `name` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_any_range(lo: u64, hi: u64, name: *const c_char) -> u64 {
    // SAFETY: the caller's promise.
    active::draw_range(lo, hi, unsafe { text(name) })
}

/// Draws a length in `0..=max`.
///
/// # Safety
/// `name` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_any_len(max: u64, name: *const c_char) -> u64 {
    // SAFETY: the caller's promise.
    unsafe { symex_any_range(0, max, name) }
}

/// Draws an `int` in `begin..end`, for C.
///
/// # Safety
/// `name` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_range(
    begin: c_int,
    end: c_int,
    name: *const c_char,
) -> c_int {
    // SAFETY: the caller's promise.
    active::draw_c_int(begin, end, unsafe { text(name) })
}

/// Ends the path unless `cond` holds.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C-unwind" fn symex_assume(cond: bool) {
    if !cond {
        active::reject("an assumption does not hold")
    }
}

/// Rejects this input.
///
/// # Safety
/// `reason` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_reject(reason: *const c_char) -> ! {
    // SAFETY: the caller's promise.
    active::reject(unsafe { text(reason) })
}

/// Rejects this input because a bound of the runtime was reached.
///
/// # Safety
/// `what` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_cut(what: *const c_char) -> ! {
    // SAFETY: the caller's promise.
    unsafe { symex_reject(what) }
}

/// Rejects this input because what follows cannot be explored, or run.
///
/// # Safety
/// `what` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_unsupported(what: *const c_char) -> ! {
    // SAFETY: the caller's promise.
    unsafe { symex_reject(what) }
}

/// Notes what is taken for granted. Natively it does nothing.
///
/// # Safety
/// `what` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_assumed(what: *const c_char) {
    // SAFETY: the caller's promise. Reading it keeps the argument alive for the engine.
    core::hint::black_box(unsafe { text(what) });
}

/// Does nothing: natively, no function takes the place of another.
///
/// # Safety
/// `what` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_stub(what: *const c_char, function: *const c_void) {
    // SAFETY: the caller's promise. Reading it keeps the arguments alive for the engine.
    core::hint::black_box((unsafe { text(what) }, function));
}

/// Records a cover point.
///
/// # Safety
/// `name` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_cover(cond: bool, name: *const c_char) {
    if cond {
        // SAFETY: the caller's promise.
        active::covered(unsafe { text(name) })
    }
}

/// Sets the name of the check that fails next. Natively it does nothing: the panic that follows
/// carries the name itself.
///
/// # Safety
/// `name` is a NUL-terminated string.
#[unsafe(no_mangle)]
#[inline(never)]
pub unsafe extern "C-unwind" fn symex_check_name(name: *const c_char) {
    // SAFETY: the caller's promise. Reading it keeps the argument alive for the engine at every
    // optimisation level.
    core::hint::black_box(unsafe { text(name) });
}

/// Reports whether the engine executes the program.
#[unsafe(no_mangle)]
#[inline(never)]
pub extern "C-unwind" fn symex_is_symbolic() -> bool {
    core::hint::black_box(false)
}
