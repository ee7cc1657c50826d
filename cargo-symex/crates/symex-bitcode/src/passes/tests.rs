use inkwell::context::Context;

use super::super::llvm;
use super::*;

/// Returns the text of a module after the default passes.
fn prepared(text: &str) -> String {
    llvm::require().expect("a toolchain with LLVM");
    let context = Context::create();
    let module = llvm::compat::parse_text(&context, text.as_bytes());
    let module = module.expect("the test's IR is well-formed");
    run(&module, &PassProfile::Default, ModuleRole::Program).expect("the passes run");
    verify(&module).expect("the module is still well-formed");
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

/// Module that copies a structure whose second part is written only under a condition.
const COPY: &str = "
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    define i32 @root(i1 %c) {
      %x = alloca { i32, i32 }
      %y = alloca { i32, i32 }
      store i32 1, ptr %x
      br i1 %c, label %set, label %copy
    set:
      %second = getelementptr i8, ptr %x, i64 4
      store i32 7, ptr %second
      br label %copy
    copy:
      call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 8, i1 false)
      %of_copy = getelementptr i8, ptr %y, i64 OFFSET
      %v = load i32, ptr %of_copy
      ret i32 %v
    }";

#[test]
fn unwritten_bytes_stay_unwritten_in_a_copy() {
    // Folded to `ret i32 7` without guard.
    let text = prepared(&COPY.replace("OFFSET", "4"));
    assert!(
        text.contains("@symex.unwritten.8 = internal constant [8 x i8] undef"),
        "{text}"
    );
    assert!(text.contains("select i1 %c, i32 7"), "{text}");
    assert!(!text.contains("alloca"), "{text}");
}

#[test]
fn a_copy_costs_nothing_where_unwritten_bytes_are_not_read() {
    let text = prepared(&COPY.replace("OFFSET", "0"));
    assert!(text.contains("ret i32 1"), "{text}");
    assert!(
        !text.contains("symex.unwritten") && !text.contains("alloca"),
        "{text}"
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
fn a_read_of_which_nothing_comes_stays_as_a_check() {
    let text = prepared(
        "define void @root(ptr %p) {
           %q = getelementptr i8, ptr %p, i64 100
           %v = load i32, ptr %q, align 4
           %w = mul i32 %v, 3
           ret void
         }",
    );
    let check = "call void @symex_check_read(ptr %q, i64 4, i64 4, i64 0)";
    assert!(text.contains(check), "{text}");
    assert!(!text.contains("volatile"), "{text}");
}

#[test]
fn a_read_of_an_initialised_value_of_which_nothing_comes_checks_that() {
    let text = prepared(
        "define void @root(ptr %p, ptr %q, ptr %r) {
           %v = load i32, ptr %p, align 4, !noundef !0
           %w = load i16, ptr %q, align 2
           %x = load i8, ptr %r, align 1, !noundef !0
           %y = add i8 %x, 1
           store i8 %y, ptr %r, align 1
           ret void
         }
         !0 = !{}",
    );
    for check in [
        "call void @symex_check_value(ptr %p, i64 4, i64 4, i64 0)",
        "call void @symex_check_read(ptr %q, i64 2, i64 2, i64 0)",
    ] {
        assert!(text.contains(check), "{text}");
    }
    assert_eq!(text.matches("call void @symex").count(), 2, "{text}");
}

#[test]
fn a_copy_of_which_a_value_is_read_for_nothing_is_read() {
    let text = prepared(
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
         define void @root(ptr %p) {
           %s = alloca i64
           call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %p, i64 8, i1 false)
           %v = load i64, ptr %s, !noundef !0
           %unknown = load i64, ptr %s
           ret void
         }
         !0 = !{}",
    );
    assert!(text.contains("@symex.check.defined.i64(i64 %"), "{text}");
    assert_eq!(text.matches("load i64").count(), 1, "{text}");
}

#[test]
fn a_read_that_becomes_useless_in_the_passes_stays_as_a_check() {
    // `x = *p; x = 5;` and `if (*p) {}`.
    let text = prepared(
        "define i32 @root(ptr %p, ptr %q) {
           %x = alloca i32
           %v = load i32, ptr %p
           store i32 %v, ptr %x
           store i32 5, ptr %x
           %w = load i32, ptr %q
           %c = icmp ne i32 %w, 0
           br i1 %c, label %then, label %end
         then:
           br label %end
         end:
           %r = load i32, ptr %x
           ret i32 %r
         }",
    );
    assert!(!text.contains("load"), "{text}");
    assert_eq!(text.matches("call void @symex_check_read").count(), 2);
}

#[test]
fn operations_that_stay_have_no_checks() {
    let text = prepared(
        "define i32 @root(ptr %p, ptr %q, i32 %d) {
           %v = load i32, ptr %p
           %again = load i32, ptr %p
           %sum = add i32 %v, %again
           %part = sdiv i32 %sum, %d
           store i32 %part, ptr %q
           ret i32 %part
         }",
    );
    assert!(!text.contains("symex"), "{text}");
    assert_eq!(text.matches("load").count(), 1, "{text}");
    assert_eq!(text.matches("sdiv").count(), 1, "{text}");
}

#[test]
fn a_copy_of_which_a_part_is_used_is_checked_whole() {
    let text = prepared(
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
         define i32 @root(ptr %p) {
           %s = alloca { i32, i32, i32, i32 }
           call void @llvm.memcpy.p0.p0.i64(ptr %s, ptr %p, i64 16, i1 false)
           %v = load i32, ptr %s
           ret i32 %v
         }",
    );
    let check = "call void @symex_check_read(ptr %p, i64 16, i64 1, i64 0)";
    assert!(text.contains(check) && text.contains("load i32"), "{text}");
}

#[test]
fn a_write_beyond_a_variable_stays() {
    let text = prepared(
        "define void @root() {
           %s = alloca [4 x i32]
           %q = getelementptr i8, ptr %s, i64 20
           store i32 1, ptr %q
           ret void
         }",
    );
    assert!(text.contains("store i32 1"), "{text}");
}

#[test]
fn a_write_after_the_end_of_a_variable_stays() {
    let text = prepared(
        "declare void @llvm.lifetime.start.p0(ptr)
         declare void @llvm.lifetime.end.p0(ptr)
         define void @root() {
           %x = alloca i32
           %p = alloca ptr
           call void @llvm.lifetime.start.p0(ptr %x)
           store i32 1, ptr %x
           store ptr %x, ptr %p
           call void @llvm.lifetime.end.p0(ptr %x)
           %q = load ptr, ptr %p
           store i32 2, ptr %q
           ret void
         }",
    );
    assert!(text.contains("store i32 2, ptr %x"), "{text}");
    assert!(!text.contains("symex.guard"), "{text}");
}

#[test]
fn a_division_of_which_nothing_comes_stays() {
    let text = prepared(
        "define internal i32 @none_of(i32 %n, i32 %d) { %q = udiv i32 %n, %d ret i32 %q }
         define i32 @root(i32 %d) {
           %unused = sdiv i32 10, %d
           %none = call i32 @none_of(i32 0, i32 %d)
           %harmless = sdiv i32 %d, 3
           ret i32 %none
         }",
    );
    assert!(text.contains("sdiv i32 10, %d"), "{text}");
    assert!(text.contains("udiv i32 0, %d"), "{text}");
    assert_eq!(text.matches("div").count(), 2, "{text}");
    assert!(!text.contains("symex"), "{text}");
}

#[test]
fn memory_may_be_freed_between_two_reads() {
    let text = prepared(
        "declare void @free(ptr)
         define void @root(ptr %p, i1 %c) {
           %v = load i32, ptr %p
           br i1 %c, label %then, label %end
         then:
           call void @free(ptr %p)
           br label %end
         end:
           %w = load i32, ptr %p
           ret void
         }",
    );
    assert_eq!(
        text.matches("call void @symex_check_read").count(),
        2,
        "{text}"
    );
}

#[test]
fn a_call_of_which_nothing_comes_stays() {
    let text = prepared(
        "declare i64 @strlen(ptr) nounwind willreturn memory(argmem: read)
         declare ptr @malloc(i64)
         define void @root(ptr %p) {
           %n = call i64 @strlen(ptr %p)
           %m = call ptr @malloc(i64 %n)
           ret void
         }",
    );
    assert!(
        text.contains("@strlen(ptr %p)") && text.contains("@malloc(i64 %n)"),
        "{text}"
    );
}

#[test]
fn a_variable_that_is_reached_by_way_of_another_becomes_a_register() {
    let text = prepared(
        "define i32 @root(i32 %a) {
           %x = alloca i32
           %by = alloca { ptr, i64 }
           store i32 %a, ptr %x
           store ptr %x, ptr %by
           %p = load ptr, ptr %by
           %v = load i32, ptr %p
           %w = add i32 %v, 1
           store i32 %w, ptr %p
           %r = load i32, ptr %x
           ret i32 %r
         }",
    );
    assert!(
        !text.contains("alloca") && !text.contains("symex"),
        "{text}"
    );
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
    llvm::require().expect("a toolchain with LLVM");
    let context = Context::create();
    let module = context.create_module("empty");
    assert!(
        run(
            &module,
            &PassProfile::Custom("no-such-pass".to_owned()),
            ModuleRole::Program
        )
        .is_err()
    );
}

#[test]
fn code_with_retags_keeps_its_calls_reads_and_conversions() {
    let code = |retags: &str| {
        format!(
            "declare ptr @__rust_retag_reg(ptr, i64, i8, ptr, ptr)
             define internal i32 @callee(ptr %p) {{
               %q = {retags}
               %unused = load i32, ptr %q
               %v = load i32, ptr %q
               ret i32 %v
             }}
             define i32 @root(ptr %p) {{
               %v = call i32 @callee(ptr %p)
               %n = ptrtoint ptr %p to i64
               %null = icmp eq i64 %n, 0
               %exposed = ptrtoint ptr %p to i64
               %again = inttoptr i64 %exposed to ptr
               %w = load i32, ptr %again
               %sum = add i32 %v, %w
               %r = select i1 %null, i32 0, i32 %sum
               ret i32 %r
             }}"
        )
    };
    let retag = "call ptr @__rust_retag_reg(ptr %p, i64 4, i8 11, ptr null, ptr null)";
    let text = prepared(&code(retag));
    assert!(text.contains("call i32 @callee"), "{text}");
    assert_eq!(text.matches("load i32, ptr %q").count(), 2, "{text}");
    // What is only compared exposes nothing.
    assert_eq!(text.matches("ptrtoint ptr %p").count(), 1, "{text}");
    assert!(text.contains("= call i64 @__symex_integer_of_pointer(ptr %p)"));
    assert!(text.contains("= call ptr @__symex_pointer_of_integer("));
    let text = prepared(&code("getelementptr i8, ptr %p, i64 0").replace("declare ptr", "; "));
    assert!(
        !text.contains("@callee") && !text.contains("__symex"),
        "{text}"
    );
}

#[test]
fn a_shift_of_two_words_has_a_check_of_its_distance() {
    let text = prepared(
        "declare i32 @llvm.fshl.i32(i32, i32, i32)
         define i32 @root(i32 %a, i32 %b, i32 %n) !dbg !3 {
           %shifted = call i32 @llvm.fshl.i32(i32 %a, i32 %b, i32 %n), !dbg !5
           %rotated = call i32 @llvm.fshl.i32(i32 %a, i32 %a, i32 %n), !dbg !5
           %both = add i32 %shifted, %rotated, !dbg !5
           ret i32 %both, !dbg !5
         }
         !llvm.dbg.cu = !{!1}
         !llvm.module.flags = !{!0}
         !0 = !{i32 2, !\"Debug Info Version\", i32 3}
         !1 = distinct !DICompileUnit(language: DW_LANG_Rust, file: !2, emissionKind: LineTablesOnly)
         !2 = !DIFile(filename: \"src/lib.rs\", directory: \"/home/user/crate\")
         !3 = distinct !DISubprogram(name: \"root\", file: !2, line: 1, type: !4, unit: !1, spFlags: DISPFlagDefinition)
         !4 = !DISubroutineType(types: !{})
         !5 = !DILocation(line: 1, scope: !3)",
    );
    let check = "@symex.check.demand.distance.i32(i32 %a, i32 %n)";
    assert_eq!(text.matches(check).count(), 1, "{text}");
}

#[test]
fn a_misaligned_read_of_a_variable_for_nothing_stays_as_a_check() {
    let text = prepared(
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
         define void @root() {
           %s = alloca [4 x i32]
           call void @llvm.memset.p0.i64(ptr %s, i8 0, i64 16, i1 false)
           %odd = getelementptr i8, ptr %s, i64 1
           %v = load i8, ptr %odd, align 4, !noundef !0
           ret void
         }
         !0 = !{}",
    );
    let check = "call void @symex_check_value(ptr %odd, i64 1, i64 4, i64 0)";
    assert!(text.contains(check), "{text}");
}

#[test]
fn a_read_after_the_end_of_a_variable_that_escapes_stays() {
    let text = prepared(
        "declare void @llvm.lifetime.start.p0(ptr)
         declare void @llvm.lifetime.end.p0(ptr)
         declare void @show(ptr)
         define i32 @root(i32 %v, i1 %c) {
           %x = alloca i32
           call void @llvm.lifetime.start.p0(ptr %x)
           store i32 %v, ptr %x
           %before = load i32, ptr %x
           call void @llvm.lifetime.end.p0(ptr %x)
           %after = load i32, ptr %x
           br i1 %c, label %cold, label %end
         cold:
           call void @show(ptr %x)
           unreachable
         end:
           %sum = add i32 %before, %after
           ret i32 %sum
         }",
    );
    assert_eq!(text.matches("load i32, ptr %x").count(), 1, "{text}");
    assert!(text.contains("add i32 %v, %after"), "{text}");
    assert!(!text.contains("symex"), "{text}");
}

#[test]
fn what_std_fills_uninitialised_values_with_is_not_written() {
    let text = prepared(
        "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
         define internal i64 @_ZN4core3mem13uninitialized17h0123456789abcdefE() alwaysinline {
           %val = alloca [8 x i8]
           call void @llvm.memset.p0.i64(ptr %val, i8 1, i64 8, i1 false)
           %all = load i64, ptr %val
           ret i64 %all
         }
         define i64 @root() {
           %value = call i64 @_ZN4core3mem13uninitialized17h0123456789abcdefE()
           ret i64 %value
         }",
    );
    assert!(!text.contains("memset"), "{text}");
    assert!(!text.contains("72340172838076673"), "{text}");
}
