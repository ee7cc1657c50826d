@local = thread_local global i32 4
define i1 @f(ptr %p, i1 %c) {
  call void @llvm.assume(i1 %c)
  call void @llvm.assume(i1 true) [ "align"(ptr %p, i64 8) ]
  %e = call i1 @llvm.expect.i1(i1 %c, i1 true)
  %k = call i1 @llvm.is.constant.i1(i1 %e)
  %o = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 true, i1 false, i1 false)
  %t = call ptr @llvm.threadlocal.address.p0(ptr @local)
  %l = load i32, ptr %t, align 4
  %m = call ptr @llvm.ptrmask.p0.i64(ptr %p, i64 -16)
  call void @llvm.prefetch.p0(ptr %m, i32 0, i32 3, i32 1)
  call void @llvm.x86.sse2.pause()
  call void @llvm.ubsantrap(i8 3)
  ret i1 %k }
declare void @llvm.assume(i1)
declare i1 @llvm.expect.i1(i1, i1)
declare i1 @llvm.is.constant.i1(i1)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare ptr @llvm.threadlocal.address.p0(ptr)
declare ptr @llvm.ptrmask.p0.i64(ptr, i64)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare void @llvm.x86.sse2.pause()
declare void @llvm.ubsantrap(i8)
