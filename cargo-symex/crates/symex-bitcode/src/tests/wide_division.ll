define i256 @f(i256 %a, i256 %b) {
  %r = udiv i256 %a, %b
  ret i256 %r }
