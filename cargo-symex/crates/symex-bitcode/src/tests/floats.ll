define float @f(float %a, double %b, half %h) {
  %n = fneg float %a
  %t = fptrunc double %b to float
  %s = fmul fast float %n, %t
  %c = fcmp une float %s, 1.5
  %i = fptosi float %s to i64
  %u = uitofp i64 %i to float
  %e = fpext half %h to float
  %r = select i1 %c, float %u, float %e
  ret float %r }
