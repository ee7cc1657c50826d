//! Tests that input that cannot be a program is an error with a reason, never a panic.

use crate::{LoadError, translate_file, translate_ir};

#[test]
fn unreadable_files() {
    let missing = translate_file("/nonexistent/x.bc").unwrap_err();
    assert!(matches!(missing, LoadError::Read { .. }), "{missing}");
    for bytes in [
        &b""[..],
        b"garbage",
        b"BC\xc0\xde garbage",
        b"BC\xc0\xde",
        b"define void @f( {",
    ] {
        let why = translate_ir(bytes, "x").unwrap_err();
        assert!(matches!(why, LoadError::Parse { .. }), "{why}");
    }
}

#[test]
fn invalid_modules() {
    // The use is not dominated by the definition.
    let ir = b"define i32 @f(i1 %c) { br i1 %c, label %a, label %b
        a: %x = add i32 1, 2
           br label %b
        b: ret i32 %x }";
    let why = translate_ir(ir, "x").unwrap_err();
    assert!(matches!(why, LoadError::Invalid { .. }), "{why}");
}

#[test]
fn other_targets() {
    let ir = b"target datalayout = \"e-p:32:32\"\ndefine void @f() { ret void }";
    let why = translate_ir(ir, "x").unwrap_err();
    assert!(matches!(why, LoadError::Target(_)), "{why}");
}
