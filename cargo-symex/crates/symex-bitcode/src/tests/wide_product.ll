define i128 @f(i128 %a) {
  %z = zext i128 %a to i256
  %p = mul i256 %z, 76624777043294442917917351357515459181
  %h = lshr i256 %p, 128
  %r = trunc i256 %h to i128
  ret i128 %r }
