//! Models of functions of Rust's standard library, by their demangled path.

mod alloc;
mod panic;
mod panic_message;
pub mod retag;
mod system;

use super::table::Row;

/// Functions, by their demangled path, that models run in detached runs although nothing calls them
/// there.
pub const ENTERED: &[&str] = &[panic_message::FORMAT];

/// Returns all rows.
pub fn rows() -> [&'static [Row]; 3] {
    [alloc::ROWS, panic::ROWS, system::ROWS]
}
