define i8 @f(i8 %n) {
entry:
  switch i8 %n, label %other [ i8 1, label %one
    i8 -1, label %out
    i8 2, label %one ]
one: br label %out
other: unreachable
out:
  %r = phi i8 [ 5, %entry ], [ 6, %one ]
  ret i8 %r }
