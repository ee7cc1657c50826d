//! Tests of `--aliasing` that need no toolchain whose rustc emits retags: programs say themselves
//! where references are made. Those in Rust are tests of `tests/machine`.

use crate::support::{Crate, Run, finish, symex};

/// A program whose first reference is written after the second, if the input is 7.
const STALE: &str = r#"
declare ptr @__rust_retag_reg(ptr, i64, i8, ptr, ptr)
declare void @symex_make_symbolic(ptr, i64, ptr)
@name = private constant [2 x i8] c"x\00"

define i32 @main() {
  %x = alloca i8
  %value = alloca i8
  call void @symex_make_symbolic(ptr %x, i64 1, ptr @name)
  store i8 0, ptr %value
  %first = call ptr @__rust_retag_reg(ptr %value, i64 1, i8 10, ptr null, ptr null)
  %second = call ptr @__rust_retag_reg(ptr %value, i64 1, i8 10, ptr null, ptr null)
  store i8 2, ptr %second
  %input = load i8, ptr %x
  %is_seven = icmp eq i8 %input, 7
  br i1 %is_seven, label %write, label %end
write:
  store i8 1, ptr %first
  br label %end
end:
  ret i32 0
}
"#;

/// A program that makes a reference to two bytes, of which the second may be outside of eight.
const OUTSIDE: &str = r#"
declare ptr @__rust_retag_reg(ptr, i64, i8, ptr, ptr)
declare void @symex_make_symbolic(ptr, i64, ptr)
@name = private constant [2 x i8] c"x\00"

define i32 @main() {
  %x = alloca i8
  %bytes = alloca [8 x i8]
  call void @symex_make_symbolic(ptr %x, i64 1, ptr @name)
  store i64 0, ptr %bytes
  %input = load i8, ptr %x
  %index = zext i8 %input to i64
  %place = getelementptr i8, ptr %bytes, i64 %index
  %reference = call ptr @__rust_retag_reg(ptr %place, i64 2, i8 0, ptr null, ptr null)
  ret i32 0
}
"#;

fn explore(program: &str, flags: &[&str]) -> Run {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.ll");
    std::fs::write(&file, program).expect("the program is written");
    let mut command = symex(["bitcode", "--message-format", "json"]);
    command.current_dir(folder.path()).args(flags).arg(&file);
    finish(command)
}

#[test]
fn a_stale_reference_is_a_bug_where_that_is_asked_for() {
    let finished = explore(STALE, &["--aliasing", "tree"]).only();
    assert_eq!(finished["verdict"], "bug");
    let finding = &finished["findings"][0];
    assert_eq!(finding["kind"], "aliasing");
    let message = "write of 1 byte through a reference that an earlier write has ended";
    assert_eq!(finding["message"], message);
    assert_eq!(finding["inputs"][0]["bytes"][0], 7);
    let finished = explore(STALE, &[]).only();
    assert_eq!(finished["verdict"], "pass-complete");
}

#[test]
fn references_alone_are_no_rules_of_aliasing() {
    let finished = explore(STALE, &["--aliasing", "references"]).only();
    assert_eq!(finished["verdict"], "pass-complete");
}

#[test]
fn a_reference_that_is_made_must_be_inside_of_an_object() {
    for model in ["references", "tree"] {
        let finished = explore(OUTSIDE, &["--aliasing", model]).only();
        assert_eq!(finished["verdict"], "bug");
        let finding = &finished["findings"][0];
        assert_eq!(finding["kind"], "dangling-reference");
        let input = &finding["inputs"][0]["bytes"][0];
        assert!(matches!(input.as_u64(), Some(7 | 8)), "{input}");
    }
    let finished = explore(OUTSIDE, &[]).only();
    assert_eq!(finished["verdict"], "pass-complete");
}

#[test]
fn a_wrong_model_or_an_old_toolchain_is_an_error() {
    let tree = Crate::library("aliasing_refused", "");
    let said = tree.symex(&["--aliasing", "stacked"]).code(2).stderr;
    assert!(said.contains("--aliasing"), "{said}");
    assert!(said.contains("expected `references` or `tree`"), "{said}");
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let old = tree.script(
        "rustc",
        &format!("#!/bin/sh\n'{rustc}' \"$@\" | sed 's/^release: .*/release: 1.98.0/'\n"),
    );
    let run = tree.symex_with(&["--aliasing", "tree"], &[("RUSTC", &old)]);
    let said = &run.stderr;
    assert!(
        said.contains("--aliasing needs Rust 1.99 or newer"),
        "{said}"
    );
    assert!(said.contains("1.98.0"), "{said}");
    assert!(run.code != Some(0) && run.stdout.is_empty(), "{run:?}");
}
