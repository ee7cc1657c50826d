//! Tests of a crate whose constants become inputs.
//!
//! `modules` reads the source files of a test executable, `test_crate` finds the tests in them,
//! `cases` what those with arguments are called with,
//! `constants` what of each test may be an input. `copy` writes a copy of the sources in which a
//! call stands in the place of each such constant, and `settle` has the compiler decide which of
//! them stay. `judge` tells which findings are about the crate: what a test asserts is about its
//! constants. `leave` puts tests with the values of findings into the files.

mod cases;
mod constants;
pub mod copy;
pub mod judge;
pub mod leave;
mod modules;
pub mod settle;
pub mod test_crate;
