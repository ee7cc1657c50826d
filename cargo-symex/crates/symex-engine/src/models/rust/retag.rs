//! Models of the functions that stand for retags where rustc emits them. They do nothing unless the
//! rules of aliasing are checked.

use crate::models::table::{Row, row};

/// Rows of the functions, by symbol name.
pub const ROWS: &[Row] = &[
    row("__rust_retag_reg", |m, st, call| m.retag_register(st, call)),
    row("__rust_retag_mem", |m, st, call| m.retag_memory(st, call)),
    row("__symex_pointer_of_integer", |m, st, call| {
        m.pointer_of_integer(st, call)
    }),
    row("__symex_integer_of_pointer", |m, st, call| {
        m.integer_of_pointer(st, call)
    }),
];
