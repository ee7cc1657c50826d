//! Names of the functions of Rust's standard library that check whether bytes are UTF-8, of which
//! the engine has to see the calls.

use crate::rust_path::without_arguments;

/// Checks bytes.
pub const FROM_UTF8: &str = "core::str::converts::from_utf8";

/// Checks bytes, and replaces what is not UTF-8: in either form of mangled names.
pub const FROM_UTF8_LOSSY: [&str; 2] = [
    "<alloc::string::String>::from_utf8_lossy",
    "alloc::string::String::from_utf8_lossy",
];

/// Reports whether a demangled name is that of such a function.
pub fn checks_utf8(display: &str) -> bool {
    let path = without_arguments(display);
    path == FROM_UTF8 || FROM_UTF8_LOSSY.contains(&path)
}
