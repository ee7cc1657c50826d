define i32 @f(i32 %n) {
entry:
  %z = icmp eq i32 %n, 0
  br i1 %z, label %out, label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i2, %loop ]
  %s = phi i32 [ 1, %entry ], [ %t, %loop ]
  %t = phi i32 [ 2, %entry ], [ %s, %loop ]
  %i2 = add i32 %i, 1
  %c = icmp ult i32 %i2, %n
  br i1 %c, label %loop, label %out
out:
  %r = phi i32 [ 0, %entry ], [ %s, %loop ]
  ret i32 %r
dead:
  br label %out2
out2:
  ret i32 1 }
