//! Tests of initial contents, symbols and constructors.

use super::translate;
use symex_program::{Program, text};

fn global(program: &Program, name: &str) -> String {
    text::global(program, program.global(program.global_names[name]))
}

#[test]
fn contents_of_globals() {
    let program = translate(
        "%packed = type <{ i8, i32, ptr }>
        %padded = type { i8, i32, i128, [2 x i1] }
        @packed = constant %packed <{ i8 1, i32 -2, ptr @f }>
        @padded = global %padded { i8 1, i32 2, i128 -3, [2 x i1] [i1 true, i1 false] }
        @text = private constant [4 x i8] c\"abc\\00\"
        @zero = global [1000 x i32] zeroinitializer, align 64
        @half = global { i32, [2 x i16], i8 } { i32 7, [2 x i16] undef, i8 poison }
        @floats = global <{ float, double, <2 x half> }> <{ float 1.0, double -0.0, <2 x half> <half 1.0, half 2.0> }>
        @inner = global ptr getelementptr inbounds (%padded, ptr @padded, i64 0, i32 3, i64 1)
        @table = constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @text to i64), i64 ptrtoint (ptr @table to i64)) to i32),
            i32 trunc (i64 sub (i64 ptrtoint (ptr @zero to i64), i64 ptrtoint (ptr getelementptr (i8, ptr @table, i64 4) to i64)) to i32)]
        @number = global i64 ptrtoint (ptr @packed to i64)
        @bits = global <12 x i1> <i1 1, i1 0, i1 0, i1 1, i1 0, i1 0, i1 0, i1 0, i1 0, i1 0, i1 1, i1 1>
        @huge = global i192 -1
        @outside = external thread_local global i16
        define void @f() { ret void }",
    );
    let expected = [
        "@packed = constant size 13 align 1 [01feffffff] 5:64 = @f",
        "@padded = global size 48 align 16 [01000000020000000000000000000000fdffffffffffffffffffffffffffffff01]",
        "@text = constant size 4 align 1 [616263]",
        "@zero = global size 4000 align 64 []",
        "@half = global size 12 align 4 [07] undef 4..9",
        "@floats = global size 16 align 1 [0000803f0000000000000080003c0040]",
        "@inner = global size 8 align 8 [] 0:64 = @padded+33",
        "@table = constant size 8 align 4 [] 0:32 = @text - @table 4:32 = @zero-4 - @table",
        "@number = global size 8 align 8 [] 0:64 = @packed",
        "@bits = global size 2 align 2 [090c]",
        "@huge = global size 32 align 16 [ffffffffffffffffffffffffffffffffffffffffffffffff]",
        "@outside = thread_local global size 2 align 2 external",
    ];
    for line in expected {
        let name = line[1..].split(' ').next().unwrap();
        assert_eq!(global(&program, name), line);
    }
}

#[test]
fn contents_without_a_form_are_not_guessed() {
    let program = translate(
        "@cut = global i8 trunc (i64 ptrtoint (ptr @cut to i64) to i8)
        @fn = ifunc void (), ptr @resolve
        @chosen = global ptr @fn
        define ptr @resolve() { ret ptr null }",
    );
    for name in ["cut", "chosen"] {
        let g = program.global(program.global_names[name]);
        assert!(g.init.is_none());
        assert!(
            g.display.contains("contents not supported"),
            "{}",
            g.display
        );
    }
}

#[test]
fn blocks_have_addresses() {
    let ir = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/src/tests/computed_gotos.ll"
    ));
    let program = translate(&ir.unwrap());
    assert_eq!(
        global(&program, "table"),
        "@table = constant size 16 align 8 [] 0:64 = @f:b2 8:64 = @f:b1"
    );
}

#[test]
fn constructors_run_by_priority() {
    let program = translate(
        "@llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
            { i32, ptr, ptr } { i32 65535, ptr @late, ptr null },
            { i32, ptr, ptr } { i32 101, ptr @early, ptr null }]
        @llvm.used = appending global [1 x ptr] [ptr @entry], section \"llvm.metadata\"
        @entry = internal constant ptr @first, section \".init_array.00099\"
        define internal void @late() { ret void }
        define internal void @early() { ret void }
        define internal void @first(i32, ptr, ptr) { ret void }",
    );
    let names: Vec<&str> = program
        .constructors
        .iter()
        .map(|&f| program.function(f).name.as_str())
        .collect();
    assert_eq!(names, ["first", "early", "late"]);
    assert!(!program.global_names.contains_key("llvm.used"));
}

#[test]
fn aliases_and_weak_symbols() {
    let program = translate(
        "@a = global [4 x i32] zeroinitializer
        @same = alias i32, ptr @a
        @inside = alias i32, getelementptr (i8, ptr @a, i64 4)
        @twice = alias i32, ptr @same
        @other = alias void (), ptr @f
        @weak_data = extern_weak global i8
        define void @f() { ret void }
        declare extern_weak void @weak()
        define ptr @use() { ret ptr @weak }",
    );
    let a = program.global_names["a"];
    assert_eq!(program.global_names["same"], a);
    assert_eq!(program.global_names["twice"], a);
    assert!(!program.global_names.contains_key("inside"));
    assert_eq!(program.function_names["other"], program.function_names["f"]);
    assert_eq!(program.weak_functions, [program.function_names["weak"]]);
    assert_eq!(program.weak_globals, [program.global_names["weak_data"]]);
}
