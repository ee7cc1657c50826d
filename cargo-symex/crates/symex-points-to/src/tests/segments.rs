//! Tests of segments: which objects they join and which they keep apart.

use super::{analyse, describe, program};
use crate::{Separation, StaticSegments};

const PUBLISHED: Separation = Separation {
    constants: true,
    locals: true,
};
const NONE: Separation = Separation {
    constants: false,
    locals: false,
};

/// Returns the segments of more than one object, and the number of all.
fn joined(ir: &str, separation: Separation) -> (Vec<String>, usize) {
    let program = program(ir);
    let points_to = analyse(&program, true);
    let segments = StaticSegments::new(&points_to, separation);
    let mut members: Vec<Vec<String>> = vec![Vec::new(); segments.len()];
    for (id, object) in points_to.objects().iter() {
        if let Some(segment) = segments.of(id) {
            members[segment.0 as usize].push(describe(&program, &points_to, object));
        }
    }
    for (names, size) in members.iter().zip(segments.sizes()) {
        assert_eq!(names.len(), *size as usize);
    }
    let joined = members.iter().filter(|m| m.len() > 1);
    let joined = joined.map(|m| m.join(", ")).collect();
    (joined, segments.len())
}

/// The published example: an array of rows.
#[test]
fn a_matrix_and_its_rows_are_two_segments() {
    let ir = "
        declare ptr @malloc(i64)
        define void @main(i64 %i, i64 %j) {
          %matrix = call ptr @malloc(i64 24)
          %other = call ptr @malloc(i64 24)
          store i32 1, ptr %other
          br label %loop
        loop:
          %n = phi i64 [ 0, %0 ], [ %m, %loop ]
          %row = call ptr @malloc(i64 12)
          %at = getelementptr ptr, ptr %matrix, i64 %n
          store ptr %row, ptr %at
          %m = add i64 %n, 1
          %c = icmp ult i64 %m, 3
          br i1 %c, label %loop, label %end
        end:
          %p = getelementptr ptr, ptr %matrix, i64 %i
          %r = load ptr, ptr %p
          %q = getelementptr i32, ptr %r, i64 %j
          %v = load i32, ptr %q
          ret void
        }";
    // The outside, the matrix, its rows, the other one.
    assert_eq!(joined(ir, PUBLISHED), (vec![], 4));
}

#[test]
fn pointers_join_what_they_reach_unless_it_is_kept_apart() {
    let ir = "
        @a = global i32 0
        @b = global i32 0
        @c = global i32 0
        @text = constant [2 x i8] c\"a\\00\"
        @fixed = constant [2 x i8] c\"b\\00\"
        declare ptr @malloc(i64)
        define void @main(i1 %x, i1 %y) {
          %local = alloca i32
          %new = call ptr @malloc(i64 4)
          %p = select i1 %x, ptr @a, ptr @b
          store i32 1, ptr %p
          %q = select i1 %x, ptr @b, ptr %new
          store i32 1, ptr %q
          %r = select i1 %x, ptr %new, ptr %local
          %v = load i32, ptr %r
          %s = select i1 %x, ptr @text, ptr @c
          %w = load i8, ptr %s
          %never = select i1 %x, ptr @a, ptr @c
          %n = ptrtoint ptr %never to i64
          %place = alloca i64
          store i64 %n, ptr %place
          ret void
        }";
    // Apart: the outside, `c`, two constants, two locals. An address that nothing is accessed
    // through joins nothing.
    let (together, count) = joined(ir, PUBLISHED);
    assert_eq!(together, ["@a, @b, heap main 0"]);
    assert_eq!(count, 7);
    let (together, count) = joined(ir, NONE);
    assert_eq!(together, ["@a, @b, stack main 0, heap main 0", "@c, @text"]);
    assert_eq!(count, 5);
}

#[test]
fn what_escapes_is_one_segment() {
    let ir = "
        @a = global i32 0
        @b = global i32 0
        @c = global i32 0
        declare ptr @mystery(ptr, ptr)
        define void @main() {
          %p = call ptr @mystery(ptr @a, ptr @b)
          store i32 1, ptr %p
          store i32 1, ptr @c
          ret void
        }";
    let (together, count) = joined(ir, PUBLISHED);
    assert_eq!(together, ["outside, @a, @b"]);
    assert_eq!(count, 2);
}
