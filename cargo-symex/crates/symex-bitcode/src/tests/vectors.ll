define i32 @f(<4 x i32> %a, <4 x i32> %b) {
  %s = add <4 x i32> %a, <i32 1, i32 2, i32 3, i32 4>
  %c = icmp sgt <4 x i32> %s, %b
  %m = select <4 x i1> %c, <4 x i32> %s, <4 x i32> %b
  %v = shufflevector <4 x i32> %m, <4 x i32> %a, <2 x i32> <i32 3, i32 4>
  %x = extractelement <2 x i32> %v, i64 0
  %i = insertelement <2 x i32> %v, i32 9, i64 1
  %r = call i32 @llvm.vector.reduce.add.v2i32(<2 x i32> %i)
  %t = add i32 %x, %r
  ret i32 %t }
declare i32 @llvm.vector.reduce.add.v2i32(<2 x i32>)
