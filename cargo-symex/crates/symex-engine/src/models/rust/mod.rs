//! Models of functions of Rust's standard library, and of libraries for tests, by their demangled
//! path.

mod alloc;
mod characters;
mod hashing;
mod panic;
mod panic_message;
pub mod proptest;
pub mod retag;
mod system;
mod utf8;

use super::table::Row;

/// Functions, by their demangled path, that models run in detached runs although nothing calls them
/// there.
pub const ENTERED: &[&str] = &[panic_message::FORMAT];

/// Returns all rows.
pub fn rows() -> [&'static [Row]; 6] {
    [
        alloc::ROWS,
        hashing::ROWS,
        panic::ROWS,
        proptest::ROWS,
        system::ROWS,
        utf8::ROWS,
    ]
}

/// Finds the row of a function whose name has a form that no path and no trait describes.
pub fn by_form(display: &str) -> Option<&'static Row> {
    if symex_program::characters::class_of(display).is_some() {
        return Some(&characters::CLASS);
    }
    use symex_program::hashing::{compares_keys, iterates, rehashes};
    match display {
        _ if iterates(display) => Some(&hashing::ITERATION),
        _ if compares_keys(display) => Some(&hashing::COMPARISON),
        _ if rehashes(display) => Some(&hashing::REHASH),
        _ => None,
    }
}
