define i1 @f(i16 %a, i16 %b) {
  %s = call { i16, i1 } @llvm.sadd.with.overflow.i16(i16 %a, i16 %b)
  %v = extractvalue { i16, i1 } %s, 0
  %o = extractvalue { i16, i1 } %s, 1
  %t = call i16 @llvm.usub.sat.i16(i16 %v, i16 %b)
  %m = call i16 @llvm.smax.i16(i16 %t, i16 %a)
  %f = call i16 @llvm.fshl.i16(i16 %m, i16 %m, i16 3)
  %c = call i16 @llvm.ctlz.i16(i16 %f, i1 true)
  %k = call i8 @llvm.scmp.i8.i16(i16 %c, i16 %a)
  %z = icmp eq i8 %k, 0
  %r = and i1 %z, %o
  ret i1 %r }
declare { i16, i1 } @llvm.sadd.with.overflow.i16(i16, i16)
declare i16 @llvm.usub.sat.i16(i16, i16)
declare i16 @llvm.smax.i16(i16, i16)
declare i16 @llvm.fshl.i16(i16, i16, i16)
declare i16 @llvm.ctlz.i16(i16, i1)
declare i8 @llvm.scmp.i8.i16(i16, i16)
