//! Tests of whole programs with expected results. The expectation is in the program itself: `//
//! expect: VERDICT [KIND] [paths N]`, before a harness in Rust or at the head of a C file.

use crate::support::programs::{check_c, check_rust};

#[test]
fn c_programs_as_they_are() {
    check_c(None, &["-O0"]);
}

#[test]
fn c_programs_after_the_tools_own_passes() {
    // Clang's own optimiser may use undefined behaviour to remove it; the tool's passes must not.
    check_c(None, &["-O1", "-Xclang", "-disable-llvm-passes"]);
}

#[test]
fn rust_programs() {
    check_rust(None, &[]);
}
