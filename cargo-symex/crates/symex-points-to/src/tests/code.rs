//! Tests of pointer flow through instructions, calls and global data.

use super::{seen, seen_with};

#[test]
fn loads_stores_phis_and_selects() {
    let ir = "
        @a = global i32 0
        @b = global i32 0
        define void @main(i1 %c) {
          %p = alloca ptr
          %q = alloca ptr
          store ptr @a, ptr %p
          br i1 %c, label %then, label %end
        then:
          br label %end
        end:
          %r = phi ptr [ @b, %then ], [ %q, %0 ]
          %s = select i1 %c, ptr %p, ptr %q
          %x = load ptr, ptr %s
          %y = load ptr, ptr %q
          %z = getelementptr i8, ptr %r, i64 4
          call void @see(i64 1, ptr %s)
          call void @see(i64 2, ptr %x)
          call void @see(i64 3, ptr %y)
          call void @see(i64 4, ptr %z)
          ret void
        }";
    let expected = [
        "1: stack main 0, stack main 1",
        "2: @a",
        "3: ",
        "4: @b, stack main 1",
    ];
    assert_eq!(seen(ir), expected);
}

#[test]
fn cycles_of_copies_and_of_contents() {
    // A list that is built in a loop: its cells point to cells.
    let ir = "
        @first = global ptr null
        declare ptr @malloc(i64)
        define void @main(i1 %c) {
          br label %loop
        loop:
          %head = phi ptr [ null, %0 ], [ %cell, %loop ]
          %cell = call ptr @malloc(i64 16)
          store ptr %head, ptr %cell
          store ptr %cell, ptr @first
          br i1 %c, label %loop, label %walk
        walk:
          %at = phi ptr [ %head, %loop ], [ %next, %walk ]
          %next = load ptr, ptr %at
          br i1 %c, label %walk, label %end
        end:
          call void @see(i64 1, ptr %at)
          %x = load ptr, ptr @first
          call void @see(i64 2, ptr %x)
          ret void
        }";
    assert_eq!(seen(ir), ["1: heap main 0", "2: heap main 0"]);
}

#[test]
fn direct_and_indirect_calls() {
    let ir = "
        @a = global i32 0
        @b = global i32 0
        @table = constant [2 x ptr] [ptr @same, ptr @other]
        define ptr @same(ptr %x) { ret ptr %x }
        define ptr @other(ptr %x) { ret ptr @b }
        define ptr @never(ptr %x) {
          call void @see(i64 9, ptr %x)
          ret ptr %x
        }
        define ptr @two(ptr %x, ptr %y) { ret ptr %y }
        define void @main(i64 %i) {
          %direct = call ptr @other(ptr null)
          call void @see(i64 1, ptr %direct)
          %at = getelementptr ptr, ptr @table, i64 %i
          %f = load ptr, ptr %at
          call void @see(i64 2, ptr %f)
          %r = call ptr %f(ptr @a)
          call void @see(i64 3, ptr %r)
          %g = select i1 1, ptr @two, ptr @same
          %s = call ptr %g(ptr @main)
          call void @see(i64 4, ptr %s)
          ret void
        }";
    // A call with too few arguments is a fault: `two` gives the last call nothing.
    let expected = [
        "1: @b",
        "2: same(), other()",
        "3: @a, @b, main()",
        "4: @a, main()",
    ];
    assert_eq!(seen(ir), expected);
}

#[test]
fn numbers_carry_pointers() {
    let ir = "
        @a = global i32 0
        @b = global i32 0
        define void @main(i64 %n) {
          %key = mul i64 %n, 3
          %p = ptrtoint ptr @a to i64
          %hidden = xor i64 %p, %key
          %tagged = or i64 %hidden, 1
          %place = alloca i64
          store i64 %tagged, ptr %place
          %back = load i64, ptr %place
          %clean = and i64 %back, -2
          %shown = xor i64 %clean, %key
          %q = inttoptr i64 %shown to ptr
          call void @see(i64 1, ptr %q)
          %is = icmp eq ptr %q, @b
          %number = zext i1 %is to i64
          %none = inttoptr i64 %number to ptr
          call void @see(i64 2, ptr %none)
          %one = ptrtoint ptr @b to i64
          %distance = sub i64 %p, %one
          %moved = getelementptr i8, ptr @b, i64 %distance
          call void @see(i64 3, ptr %moved)
          %absolute = getelementptr i8, ptr null, i64 %p
          call void @see(i64 4, ptr %absolute)
          ret void
        }";
    let expected = ["1: @a", "2: ", "3: @b", "4: @a"];
    assert_eq!(seen(ir), expected);
}

#[test]
fn pieces_carry_pointers_if_they_are_followed() {
    let ir = "
        @a = global i32 0
        define void @main(i64 %i) {
          %from = alloca ptr
          %to = alloca ptr
          store ptr @a, ptr %from
          %f = getelementptr i8, ptr %from, i64 %i
          %byte = load i8, ptr %f
          %t = getelementptr i8, ptr %to, i64 %i
          store i8 %byte, ptr %t
          %p = load ptr, ptr %to
          call void @see(i64 1, ptr %p)
          %n = ptrtoint ptr @a to i64
          %low = trunc i64 %n to i32
          %up = lshr i64 %n, 32
          %high = trunc i64 %up to i32
          %l = zext i32 %low to i64
          %h = zext i32 %high to i64
          %u = shl i64 %h, 32
          %all = or i64 %u, %l
          %q = inttoptr i64 %all to ptr
          call void @see(i64 2, ptr %q)
          ret void
        }";
    assert_eq!(seen(ir), ["1: @a", "2: @a"]);
    let without = seen_with(ir, false);
    assert_eq!(without.into_values().collect::<Vec<_>>(), ["", ""]);
}

#[test]
fn copies_of_memory_copy_pointers() {
    let ir = "
        @a = global i32 0
        @from = global { i64, ptr } { i64 1, ptr @a }
        declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
        declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
        define void @main() {
          %x = alloca { i64, ptr }
          %y = alloca { i64, ptr }
          call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr @from, i64 16, i1 0)
          call void @llvm.memmove.p0.p0.i64(ptr %y, ptr %x, i64 16, i1 0)
          %at = getelementptr i8, ptr %y, i64 8
          %p = load ptr, ptr %at
          call void @see(i64 1, ptr %p)
          ret void
        }";
    assert_eq!(seen(ir), ["1: @a"]);
}

#[test]
fn aggregates_and_vectors() {
    let ir = "
        @a = global i32 0
        @b = global i32 0
        define { ptr, ptr } @pair(ptr %x) {
          %one = insertvalue { ptr, ptr } poison, ptr %x, 0
          %two = insertvalue { ptr, ptr } %one, ptr @b, 1
          ret { ptr, ptr } %two
        }
        define void @main(i64 %i) {
          %p = call { ptr, ptr } @pair(ptr @a)
          %first = extractvalue { ptr, ptr } %p, 0
          %second = extractvalue { ptr, ptr } %p, 1
          call void @see(i64 1, ptr %first)
          call void @see(i64 2, ptr %second)
          %v = insertelement <2 x ptr> poison, ptr %first, i64 0
          %w = insertelement <2 x ptr> %v, ptr %second, i64 1
          %place = alloca <2 x ptr>
          store <2 x ptr> %w, ptr %place
          %both = load <2 x ptr>, ptr %place
          %any = extractelement <2 x ptr> %both, i64 %i
          call void @see(i64 3, ptr %any)
          %known = extractelement <2 x ptr> %w, i64 1
          call void @see(i64 4, ptr %known)
          ret void
        }";
    assert_eq!(seen(ir), ["1: @a", "2: @b", "3: @a, @b", "4: @b"]);
}

#[test]
fn atomic_operations() {
    let ir = "
        @a = global i32 0
        @b = global i32 0
        @c = global i32 0
        @place = global ptr @a
        define void @main() {
          %old = atomicrmw xchg ptr @place, ptr @b seq_cst
          call void @see(i64 1, ptr %old)
          %pair = cmpxchg ptr @place, ptr @a, ptr @c seq_cst seq_cst
          %was = extractvalue { ptr, i1 } %pair, 0
          call void @see(i64 2, ptr %was)
          ret void
        }";
    assert_eq!(seen(ir), ["1: @a, @b, @c", "2: @a, @b, @c"]);
}

#[test]
fn global_data_aliases_and_thread_locals() {
    let ir = "
        @a = global i32 0
        @b = thread_local global ptr @a
        @inner = constant { ptr } { ptr @b }
        @outer = constant { i64, ptr } { i64 0, ptr getelementptr (i8, ptr @inner, i64 0) }
        @other = alias ptr, ptr @outer
        @text = constant [3 x i8] c\"ab\\00\"
        @relative = constant [2 x i32] [i32 0, i32 trunc (i64 sub (i64 ptrtoint (ptr @text to i64), i64 ptrtoint (ptr @relative to i64)) to i32)]
        declare ptr @llvm.threadlocal.address.p0(ptr)
        declare ptr @llvm.load.relative.i64(ptr, i64)
        define void @main() {
          %at = getelementptr i8, ptr @other, i64 8
          %x = load ptr, ptr %at
          call void @see(i64 1, ptr %x)
          %y = load ptr, ptr %x
          call void @see(i64 2, ptr %y)
          %l = call ptr @llvm.threadlocal.address.p0(ptr @b)
          %z = load ptr, ptr %l
          call void @see(i64 3, ptr %z)
          %t = call ptr @llvm.load.relative.i64(ptr @relative, i64 4)
          call void @see(i64 4, ptr %t)
          %nothing = load ptr, ptr @text
          call void @see(i64 5, ptr %nothing)
          ret void
        }";
    let expected = ["1: @inner", "2: @b", "3: @a", "4: @text, @relative", "5: "];
    assert_eq!(seen(ir), expected);
}

#[test]
fn variable_arguments() {
    let ir = "
        @a = global i32 0
        @b = global i32 0
        %list = type { i32, i32, ptr, ptr }
        declare void @llvm.va_start.p0(ptr)
        declare void @llvm.va_copy.p0(ptr, ptr)
        define void @takes(i64 %n, ...) {
          %one = alloca %list
          %two = alloca %list
          call void @llvm.va_start.p0(ptr %one)
          call void @llvm.va_copy.p0(ptr %two, ptr %one)
          %p = getelementptr %list, ptr %two, i32 0, i32 2
          %area = load ptr, ptr %p
          %x = load ptr, ptr %area
          call void @see(i64 1, ptr %area)
          call void @see(i64 2, ptr %x)
          ret void
        }
        define void @main() {
          %s = alloca { ptr, ptr, ptr }
          store ptr @b, ptr %s
          call void (i64, ...) @takes(i64 1, ptr @a, ptr byval({ ptr, ptr, ptr }) %s)
          ret void
        }";
    // What is passed by value lies among the arguments itself.
    let expected = ["1: arguments of takes", "2: @a, @b"];
    assert_eq!(seen(ir), expected);
}

#[test]
fn arguments_by_value_are_copies() {
    let ir = "
        @a = global i32 0
        define void @takes(ptr byval({ ptr }) %s) {
          call void @see(i64 1, ptr %s)
          %x = load ptr, ptr %s
          call void @see(i64 2, ptr %x)
          store ptr @takes, ptr %s
          ret void
        }
        define void @main() {
          %s = alloca { ptr }
          store ptr @a, ptr %s
          call void @takes(ptr byval({ ptr }) %s)
          %x = load ptr, ptr %s
          call void @see(i64 3, ptr %x)
          ret void
        }";
    assert_eq!(
        seen(ir),
        ["1: parameter takes 0", "2: @a, takes()", "3: @a"]
    );
}

#[test]
fn what_is_thrown_lands() {
    let ir = "
        @a = global i32 0
        @type = global i32 0
        declare void @__cxa_throw(ptr, ptr, ptr)
        declare ptr @__cxa_allocate_exception(i64)
        declare ptr @__cxa_begin_catch(ptr)
        declare i32 @__gxx_personality_v0(...)
        define void @destroy(ptr %e) {
          call void @see(i64 4, ptr %e)
          ret void
        }
        define void @throws() {
          %e = call ptr @__cxa_allocate_exception(i64 8)
          store ptr @a, ptr %e
          call void @__cxa_throw(ptr %e, ptr @type, ptr @destroy)
          unreachable
        }
        define void @passes() personality ptr @__gxx_personality_v0 {
          invoke void @throws() to label %ok unwind label %bad
        ok:
          ret void
        bad:
          %lp = landingpad { ptr, i32 } cleanup
          %e = extractvalue { ptr, i32 } %lp, 0
          call void @see(i64 1, ptr %e)
          resume { ptr, i32 } %lp
        }
        define void @main() personality ptr @__gxx_personality_v0 {
          invoke void @passes() to label %ok unwind label %bad
        ok:
          ret void
        bad:
          %lp = landingpad { ptr, i32 } catch ptr null
          %e = extractvalue { ptr, i32 } %lp, 0
          %o = call ptr @__cxa_begin_catch(ptr %e)
          call void @see(i64 2, ptr %o)
          %v = load ptr, ptr %o
          call void @see(i64 3, ptr %v)
          ret void
        }";
    let expected = [
        "1: heap throws 0",
        "2: heap throws 0",
        "3: @a",
        "4: heap throws 0",
    ];
    assert_eq!(seen(ir), expected);
}
