//! What the macros expand to; not for proofs.

use core::ffi::CStr;

pub use crate::contract::{Call, Checked, Part, after, apply, call, untracked};
pub use crate::quantifiers::{exists, for_all};
pub use symex;
pub use symex::__rt::name;
pub use symex::harness;

/// Ends the path as one that cannot be explored: its `what` is not supported.
#[inline(always)]
pub fn unsupported(what: &'static CStr) -> ! {
    symex::__rt::unsupported(what)
}

/// Ends the path as one that cannot be explored, where it is, under the engine, that.
///
/// It takes a condition so that what follows it is not dead code to the compiler.
#[inline(always)]
pub fn unsupported_attribute(what: &'static CStr) {
    if core::hint::black_box(true) {
        unsupported(what)
    }
}

/// Says that the result holds only where this is so, which is not checked.
#[inline(always)]
pub fn assumed(what: &'static CStr) {
    symex::__rt::assumed(what)
}

/// Puts a function in the place of another: the module in which the path of that is written, the
/// path, and what takes its place, a line each.
#[inline(always)]
pub fn stub(what: &'static CStr, function: *const ()) {
    symex::__rt::stub(what, function)
}

/// Marks a condition that some value should meet, under a name.
#[inline(always)]
pub fn cover_at(condition: bool, name: &'static CStr) {
    symex::__rt::cover(condition, name)
}

/// Marks a condition that some value should meet, under a message that may be cut.
pub(crate) fn cover(condition: bool, message: &'static str) {
    symex::__rt::cover(condition, c_string(message))
}

/// Returns a text as a name for reports, which lives as long as the program.
pub(crate) fn c_string(text: &str) -> &'static CStr {
    let bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
    // It holds no zero.
    let text = std::ffi::CString::new(bytes).unwrap_or_default();
    Box::leak(text.into_boxed_c_str())
}

/// Draws the number of a variant, from 0 to `last`.
#[inline(always)]
pub fn variant(last: u64, name: &'static CStr) -> u64 {
    symex::Cx::new(name, 0).range(0, last)
}
