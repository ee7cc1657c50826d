use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;

use super::*;

/// The text of a module after the default passes.
fn prepared(text: &str) -> String {
    let context = Context::create();
    let buffer =
        MemoryBuffer::create_from_memory_range_copy(format!("{text}\0").as_bytes(), "test.ll");
    let module = context
        .create_module_from_ir(buffer)
        .expect("the test's IR is well-formed");
    run(&module, &PassProfile::Default).expect("the passes run");
    module.print_to_string().to_string()
}

#[test]
fn a_read_that_may_find_nothing_written_stays_a_read() {
    // `int x; if (c) x = 1; return x;`: folded to `return 1` without guard.
    let text = prepared(
        "define i32 @root(i1 %c) {
           %x = alloca i32
           br i1 %c, label %set, label %end
         set:
           store i32 1, ptr %x
           br label %end
         end:
           %v = load i32, ptr %x
           ret i32 %v
         }",
    );
    assert!(text.contains("load i32, ptr %x"), "{text}");
    assert!(
        !text.contains("volatile") && !text.contains("symex.guard"),
        "no mark is left: {text}"
    );
}

#[test]
fn a_variable_written_on_every_way_becomes_a_register() {
    let text = prepared(
        "define i32 @root(i1 %c, i32 %a, i32 %b) {
           %x = alloca i32
           br i1 %c, label %one, label %two
         one:
           store i32 %a, ptr %x
           br label %end
         two:
           store i32 %b, ptr %x
           br label %end
         end:
           %v = load i32, ptr %x
           ret i32 %v
         }",
    );
    assert!(!text.contains("alloca"), "{text}");
    assert!(
        text.contains("select i1 %c"),
        "a short branch becomes a select: {text}"
    );
}

#[test]
fn a_loop_variable_becomes_a_register() {
    let text = prepared(
        "define i32 @root(i32 %n) {
           %i = alloca i32
           store i32 0, ptr %i
           br label %head
         head:
           %v = load i32, ptr %i
           %c = icmp slt i32 %v, %n
           br i1 %c, label %body, label %end
         body:
           %w = load i32, ptr %i
           %x = add i32 %w, 1
           store i32 %x, ptr %i
           br label %head
         end:
           %r = load i32, ptr %i
           ret i32 %r
         }",
    );
    assert!(!text.contains("alloca"), "{text}");
}

#[test]
fn one_unwritten_field_of_a_struct_stays_in_memory() {
    let text = prepared(
        "define i32 @root(i32 %a) {
           %s = alloca { i32, i32 }
           store i32 %a, ptr %s
           %second = getelementptr { i32, i32 }, ptr %s, i32 0, i32 1
           %x = load i32, ptr %s
           %y = load i32, ptr %second
           %z = add i32 %x, %y
           ret i32 %z
         }",
    );
    assert_eq!(
        text.matches("load i32").count(),
        1,
        "the written field is a register, the other is not: {text}"
    );
}

#[test]
fn the_way_to_unreachable_stays() {
    let text = prepared(
        "define i32 @root(i32 %a) {
           switch i32 %a, label %end [ i32 7, label %never i32 8, label %never ]
         never:
           unreachable
         end:
           ret i32 1
         }",
    );
    assert!(
        text.contains("i32 7, label %") && text.contains("unreachable"),
        "{text}"
    );
    assert!(!text.contains("symex.guard"), "{text}");
}

#[test]
fn an_unused_read_through_a_pointer_stays() {
    let text = prepared(
        "define void @root(ptr %p) {
           %q = getelementptr i8, ptr %p, i64 100
           %v = load i32, ptr %q
           %w = mul i32 %v, 3
           ret void
         }",
    );
    assert!(text.contains("load i32"), "{text}");
    assert!(!text.contains("volatile"), "{text}");
}

#[test]
fn what_is_volatile_in_the_program_stays_volatile() {
    let text = prepared("define i32 @root(ptr %p) { %v = load volatile i32, ptr %p ret i32 %v }");
    assert!(text.contains("load volatile i32"), "{text}");
}

#[test]
fn a_small_function_is_inlined() {
    let text = prepared(
        "define internal i32 @twice(i32 %a) { %b = add i32 %a, %a ret i32 %b }
         define i32 @root(i32 %a) { %b = call i32 @twice(i32 %a) ret i32 %b }",
    );
    assert!(!text.contains("call"), "{text}");
}

#[test]
fn a_wrong_pipeline_is_an_error() {
    let context = Context::create();
    let module = context.create_module("empty");
    assert!(run(&module, &PassProfile::Custom("no-such-pass".to_owned())).is_err());
}
