//! Functions of Rust's standard library, by their demangled path.

mod alloc;
mod message;
mod panic;
mod system;

use super::table::Row;

/// Functions, by their demangled path, that models run beside a path although nothing calls them there.
pub const ENTERED: &[&str] = &[message::FORMAT];

/// All rows.
pub fn rows() -> [&'static [Row]; 3] {
    [alloc::ROWS, panic::ROWS, system::ROWS]
}
