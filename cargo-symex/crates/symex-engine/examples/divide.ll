; unsigned average(void) { unsigned sum, count; … return sum / count; }, where both are inputs.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

@sum = private constant [4 x i8] c"sum\00"
@count = private constant [6 x i8] c"count\00"

declare void @symex_make_symbolic(ptr, i64, ptr)

define i32 @average() {
  %a = alloca i32, align 4
  %b = alloca i32, align 4
  call void @symex_make_symbolic(ptr %a, i64 4, ptr @sum)
  call void @symex_make_symbolic(ptr %b, i64 4, ptr @count)
  %x = load i32, ptr %a, align 4
  %y = load i32, ptr %b, align 4
  %quotient = udiv i32 %x, %y
  ret i32 %quotient
}
