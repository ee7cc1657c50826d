define i32 @f(i32 %a, i8 %b) {
  %w = sext i8 %b to i32
  %s = add nsw i32 %a, %w
  %d = sdiv i32 %s, -3
  %c = icmp ult i32 %d, %a
  %r = select i1 %c, i32 %d, i32 7
  ret i32 %r }
