define i7 @f(i1 %a, i24 %b, ptr %p) {
  %t = trunc i24 %b to i7
  %z = zext i1 %a to i7
  %x = xor i7 %t, %z
  store i24 %b, ptr %p, align 4
  %l = load i1, ptr %p, align 1
  %y = select i1 %l, i7 %x, i7 -1
  ret i7 %y }
