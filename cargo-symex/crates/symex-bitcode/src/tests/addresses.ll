%t = type { i8, [10 x i32] }
@g = global [8 x i32] zeroinitializer
define ptr @f(ptr %p, i64 %i, i32 %j) {
  %a = getelementptr inbounds %t, ptr %p, i64 %i, i32 1, i32 %j
  %b = getelementptr i8, ptr %a, i64 -3
  %c = load i32, ptr getelementptr inbounds ([8 x i32], ptr @g, i64 0, i64 3), align 4
  %d = getelementptr i8, ptr %b, i32 %c
  ret ptr %d }
