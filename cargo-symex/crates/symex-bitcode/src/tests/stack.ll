define void @f(i32 %n) {
  %a = alloca [3 x i16], align 2
  %s = call ptr @llvm.stacksave.p0()
  %b = alloca i64, i32 %n, align 16
  call void @llvm.lifetime.start.p0(ptr %a)
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 6, i1 false)
  call void @llvm.memcpy.p0.p0.i32(ptr %b, ptr %a, i32 6, i1 false)
  call void @llvm.lifetime.end.p0(ptr %a)
  call void @llvm.stackrestore.p0(ptr %s)
  ret void }
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare void @llvm.lifetime.start.p0(ptr)
declare void @llvm.lifetime.end.p0(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i32(ptr, ptr, i32, i1)
