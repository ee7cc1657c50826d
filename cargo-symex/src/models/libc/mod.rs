//! The C library, as far as std and ordinary C programs use it. One thread, no files, an empty environment, standard
//! input at its end, and clocks that only move when the program sleeps or looks: what is not the program's input is
//! fixed.

mod alloc;
mod bytes;
mod ctype;
mod errno;
mod files;
mod process;
mod pthread;
mod string;
mod syscall;
mod time;

use super::table::Row;

/// All rows.
pub fn rows() -> [&'static [Row]; 10] {
    [
        alloc::ROWS,
        bytes::ROWS,
        ctype::ROWS,
        errno::ROWS,
        files::ROWS,
        process::ROWS,
        pthread::ROWS,
        string::ROWS,
        syscall::ROWS,
        time::ROWS,
    ]
}
