//! Models of the C library, as far as std and ordinary C programs use it. Threads take turns, and
//! clocks only move when the program sleeps or reads them; arguments, files, standard input and
//! environment are those that the user describes, otherwise none. Anything that is neither an input
//! of the program nor described is fixed, and a path that asks for it says so (`models/world.rs`).

mod alloc;
mod bytes;
mod ctype;
mod decimal;
mod environment;
mod errno;
pub mod failing;
mod files;
mod getopt;
mod jumps;
mod locale;
mod numerals;
mod print;
mod printing;
mod process;
mod pthread;
mod signals;
mod stdio;
mod stdlib;
mod string;
mod syscall;
mod system;
mod threads;
mod time;
mod varargs;
mod wide;

use super::table::Row;

/// Returns all rows.
pub fn rows() -> impl Iterator<Item = &'static [Row]> {
    let own = [
        alloc::ROWS,
        bytes::ROWS,
        ctype::ROWS,
        locale::ROWS,
        environment::ROWS,
        errno::ROWS,
        getopt::ROWS,
        jumps::ROWS,
        printing::ROWS,
        process::ROWS,
        pthread::ROWS,
        threads::ROWS,
        signals::ROWS,
        stdlib::ROWS,
        string::ROWS,
        syscall::ROWS,
        system::ROWS,
        time::ROWS,
    ];
    own.into_iter().chain(files::ROWS).chain(stdio::ROWS)
}

/// Returns the names of all functions on strings and blocks of bytes. A C library's own versions
/// read whole words, past the ends of objects as far as an aligned word reaches: right on the
/// machine for which it is written, out of bounds in C.
pub fn on_strings() -> impl Iterator<Item = &'static str> {
    [bytes::ROWS, string::ROWS]
        .into_iter()
        .flatten()
        .map(|row| row.name)
}
