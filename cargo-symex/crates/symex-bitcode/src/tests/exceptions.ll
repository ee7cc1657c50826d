@info = external constant i8
declare i32 @g(i32)
declare i32 @personality(...)
declare i32 @llvm.eh.typeid.for.p0(ptr)
define i32 @f(i32 %n) personality ptr @personality {
entry:
  %x = invoke i32 @g(i32 %n) to label %ok unwind label %bad
ok:
  %r = phi i32 [ %x, %entry ], [ 3, %caught ]
  ret i32 %r
bad:
  %e = phi i32 [ %n, %entry ]
  %p = landingpad { ptr, i32 } cleanup catch ptr @info catch ptr null
  %s = extractvalue { ptr, i32 } %p, 1
  %i = call i32 @llvm.eh.typeid.for.p0(ptr @info)
  %m = icmp eq i32 %s, %i
  br i1 %m, label %caught, label %more
caught: br label %ok
more: resume { ptr, i32 } %p }
