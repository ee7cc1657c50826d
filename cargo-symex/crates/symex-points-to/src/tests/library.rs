//! Tests of functions that are not analysed: the outside, the table of well-known ones, allocators.

use super::{effects, seen};
use crate::effect::{EffectPlace, EffectStep};
use crate::{AnalysisOptions, Effect, PointsTo, Separation, StaticSegments};
use symex_program::{Function, Inst};

#[test]
fn what_escapes_may_come_back_from_anywhere() {
    let ir = "
        @a = global ptr null
        @b = global ptr null
        @c = global ptr @b
        @safe = global ptr null
        declare ptr @mystery(ptr)
        declare ptr @other()
        define ptr @called_back(ptr %x) {
          call void @see(i64 1, ptr %x)
          ret ptr @a
        }
        define void @main() {
          store ptr @called_back, ptr @b
          %r = call ptr @mystery(ptr @c)
          call void @see(i64 2, ptr %r)
          %x = load ptr, ptr @b
          call void @see(i64 3, ptr %x)
          %y = load ptr, ptr @safe
          call void @see(i64 4, ptr %y)
          %z = load ptr, ptr @a
          call void @see(i64 5, ptr %z)
          store ptr @safe, ptr %r
          %o = call ptr @other()
          %w = load ptr, ptr %o
          call void @see(i64 6, ptr %w)
          ret void
        }";
    // `c` is given away, and with it `b`, the function in there, and what that returns, `a`.
    let expected = [
        "1: outside",
        "2: outside",
        "3: outside, called_back()",
        "4: outside",
        "5: outside",
        "6: outside",
    ];
    assert_eq!(seen(ir), expected);
    let program = super::program(ir);
    let points_to = super::analyse(&program, true);
    let escaped: Vec<String> = points_to
        .escaped()
        .iter()
        .map(|o| super::describe(&program, &points_to, points_to.objects().get(o)))
        .collect();
    let expected = ["outside", "@a", "@b", "@c", "@safe", "called_back()"];
    assert_eq!(escaped, expected);
}

#[test]
fn nothing_escapes_to_functions_that_are_known() {
    let ir = "
        @a = global ptr null
        @format = constant [3 x i8] c\"%p\\00\"
        declare i32 @printf(ptr, ...)
        declare i64 @strlen(ptr)
        define void @main() {
          %n = call i32 (ptr, ...) @printf(ptr @format, ptr @a)
          %l = call i64 @strlen(ptr @a)
          %p = inttoptr i64 %l to ptr
          call void @see(i64 1, ptr %p)
          %x = load ptr, ptr @a
          call void @see(i64 2, ptr %x)
          ret void
        }";
    assert_eq!(seen(ir), ["1: ", "2: "]);
}

#[test]
fn well_known_functions() {
    let ir = "
        @a = global i32 0
        @from = global ptr @a
        @to = global ptr null
        @end = global ptr null
        declare ptr @memcpy(ptr, ptr, i64)
        declare ptr @strchr(ptr, i32)
        declare ptr @strdup(ptr)
        declare i64 @strtol(ptr, ptr, i32)
        declare i32 @posix_memalign(ptr, i64, i64)
        declare ptr @malloc(i64)
        declare ptr @realloc(ptr, i64)
        declare void @qsort(ptr, i64, i64, ptr)
        define i32 @compare(ptr %x, ptr %y) {
          call void @see(i64 1, ptr %x)
          call void @see(i64 2, ptr %y)
          ret i32 0
        }
        define void @main() {
          %r = call ptr @memcpy(ptr @to, ptr @from, i64 8)
          call void @see(i64 3, ptr %r)
          %x = load ptr, ptr @to
          call void @see(i64 4, ptr %x)
          %c = call ptr @strchr(ptr @from, i32 0)
          call void @see(i64 5, ptr %c)
          %d = call ptr @strdup(ptr @from)
          call void @see(i64 6, ptr %d)
          %n = call i64 @strtol(ptr @from, ptr @end, i32 10)
          %e = load ptr, ptr @end
          call void @see(i64 7, ptr %e)
          %place = alloca ptr
          %failed = call i32 @posix_memalign(ptr %place, i64 16, i64 16)
          %new = load ptr, ptr %place
          call void @see(i64 8, ptr %new)
          %small = call ptr @malloc(i64 8)
          store ptr @a, ptr %small
          %big = call ptr @realloc(ptr %small, i64 16)
          call void @see(i64 9, ptr %big)
          %kept = load ptr, ptr %big
          call void @see(i64 10, ptr %kept)
          call void @qsort(ptr %big, i64 2, i64 8, ptr @compare)
          ret void
        }";
    let expected = [
        "1: heap main 3",
        "2: heap main 3",
        "3: @to",
        "4: @a",
        "5: @from",
        "6: heap main 0",
        "7: @from",
        "8: heap main 1",
        "9: heap main 3",
        "10: @a",
    ];
    assert_eq!(seen(ir), expected);
}

#[test]
fn an_allocator_of_the_programs_own_can_be_declared() {
    let ir = "
        declare ptr @malloc(i64)
        define ptr @my_alloc(i64 %n) {
          %p = call ptr @malloc(i64 %n)
          ret ptr %p
        }
        define void @main() {
          %x = call ptr @my_alloc(i64 8)
          %y = call ptr @my_alloc(i64 8)
          store i8 0, ptr %x
          store i8 0, ptr %y
          ret void
        }";
    let program = super::program(ir);
    let main = program.function_names["main"];
    let wrapper = program.function_names["my_alloc"];
    let calls_in = |f| {
        let body = program.function(f).body.as_ref().expect("a body");
        let is_call = |i: &usize| matches!(body.code[*i], Inst::Call { .. });
        let calls = (0..body.code.len()).filter(is_call);
        calls.map(|i| (f, i as u32)).collect::<Vec<_>>()
    };
    let own = |f: &Function| -> Option<Effect> {
        match f.name.as_str() {
            "my_alloc" => Some(&[EffectStep::Flow(EffectPlace::New, EffectPlace::Result)]),
            _ => effects(f),
        }
    };
    let segments = |effects: &dyn Fn(&Function) -> Option<Effect>| {
        let options = AnalysisOptions {
            entries: &[main],
            effects,
            given_addresses: false,
            pieces: true,
            trust_names: false,
        };
        let points_to = PointsTo::analyse(&program, &options);
        let segments = StaticSegments::new(&points_to, Separation::default());
        let inner = calls_in(wrapper)[0];
        let of = |outer| segments.of_allocation(&points_to, [inner, outer]);
        let outer = calls_in(main);
        (of(outer[0]), of(outer[1]))
    };
    let (first, second) = segments(&effects);
    assert!(first.is_some() && first == second);
    let (first, second) = segments(&own);
    assert!(first.is_some() && second.is_some() && first != second);
}
