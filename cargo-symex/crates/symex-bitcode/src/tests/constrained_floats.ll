define i1 @f(double %a, i32 %n) #0 {
  %s = call double @llvm.experimental.constrained.sitofp.f64.i32(i32 %n, metadata !"round.dynamic", metadata !"fpexcept.ignore") #0
  %m = call double @llvm.experimental.constrained.fmuladd.f64(double %s, double %a, double %a, metadata !"round.tonearest", metadata !"fpexcept.strict") #0
  %c = call i1 @llvm.experimental.constrained.fcmps.f64(double %m, double %a, metadata !"ult", metadata !"fpexcept.strict") #0
  %u = call double @llvm.experimental.constrained.fadd.f64(double %m, double %a, metadata !"round.upward", metadata !"fpexcept.strict") #0
  ret i1 %c }
attributes #0 = { strictfp }
declare double @llvm.experimental.constrained.sitofp.f64.i32(i32, metadata, metadata)
declare double @llvm.experimental.constrained.fmuladd.f64(double, double, double, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmps.f64(double, double, metadata, metadata)
declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
