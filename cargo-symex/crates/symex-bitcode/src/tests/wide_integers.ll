define i64 @f(i192 %a, ptr %p) {
  store i192 %a, ptr %p, align 8
  %s = lshr i192 %a, 96
  %t = trunc i192 %s to i64
  %z = zext i64 %t to i256
  %k = shl i256 %z, 64
  %m = or i256 %k, 5
  %h = lshr i256 %m, 128
  %r = trunc i256 %h to i64
  %e = icmp eq i192 %a, 1
  %q = select i1 %e, i64 %t, i64 %r
  ret i64 %q }
