%pair = type { i64, i32 }
declare %pair @g(ptr byval(%pair) align 8, i8 signext) noreturn
declare i32 @v(ptr, ...)
@old = alias void (i32), ptr @new
define void @new(i32 %x) { ret void }
define i64 @f(ptr %p, ptr %fn) {
  %a = call %pair @g(ptr byval(%pair) align 8 %p, i8 -1)
  %b = call i32 (ptr, ...) @v(ptr %p, %pair %a, double 1.0)
  call void %fn(i32 %b)
  call void @old(i32 %b)
  call void @v(i64 2)
  %r = extractvalue %pair %a, 0
  ret i64 %r }
