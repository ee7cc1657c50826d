define i32 @f(i32 %n, ...) {
  %l = alloca [24 x i8], align 8
  %m = alloca [24 x i8], align 8
  call void @llvm.va_start.p0(ptr %l)
  call void @llvm.va_copy.p0(ptr %m, ptr %l)
  %x = va_arg ptr %l, i32
  call void @llvm.va_end.p0(ptr %l)
  ret i32 %x }
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_copy.p0(ptr, ptr)
declare void @llvm.va_end.p0(ptr)
define i32 @g(ptr %p) {
  %n = call i32 (i32, ...) @f(i32 1, i8 2, x86_fp80 0xK3FFF8000000000000000, i32 3, <2 x float> zeroinitializer,
    ptr byval({ i64, i64, i32 }) align 8 %p, i128 4, ptr byval({ x86_fp80 }) align 16 %p)
  ret i32 %n }
