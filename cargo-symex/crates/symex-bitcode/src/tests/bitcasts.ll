define i16 @f(<2 x i64> %v, i32 %i, double %d) {
  %b = bitcast <2 x i64> %v to <4 x i32>
  %e = extractelement <4 x i32> %b, i64 3
  %w = bitcast i32 %i to <4 x i8>
  %m = icmp slt <4 x i8> %w, zeroinitializer
  %k = bitcast <4 x i1> %m to i4
  %n = bitcast double %d to i64
  %j = trunc i64 %n to i32
  %o = add i32 %e, %j
  %p = bitcast i32 %o to <2 x i16>
  %q = extractelement <2 x i16> %p, i32 1
  %z = zext i4 %k to i16
  %r = or i16 %q, %z
  ret i16 %r }
