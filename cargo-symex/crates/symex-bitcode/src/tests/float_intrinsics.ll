define double @f(double %a, float %b) {
  %s = call double @llvm.sqrt.f64(double %a)
  %m = call double @llvm.minimum.f64(double %s, double %a)
  %c = call double @llvm.copysign.f64(double %m, double %a)
  %u = call double @llvm.fmuladd.f64(double %c, double %a, double 2.0)
  %i = call double @llvm.sin.f64(double %u)
  %p = call float @llvm.pow.f32(float %b, float %b)
  %w = call double @llvm.powi.f64.i32(double %i, i32 3)
  %k = call i1 @llvm.is.fpclass.f64(double %w, i32 3)
  %e = fpext float %p to double
  %r = select i1 %k, double %w, double %e
  ret double %r }
declare double @llvm.sqrt.f64(double)
declare double @llvm.minimum.f64(double, double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.fmuladd.f64(double, double, double)
declare double @llvm.sin.f64(double)
declare float @llvm.pow.f32(float, float)
declare double @llvm.powi.f64.i32(double, i32)
declare i1 @llvm.is.fpclass.f64(double, i32 immarg)
