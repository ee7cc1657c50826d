define i32 @f(<4 x float> %a, <8 x i16> %w) {
  %m = call i32 @llvm.x86.sse.movmsk.ps(<4 x float> %a)
  %p = call <16 x i8> @llvm.x86.sse2.packuswb.128(<8 x i16> %w, <8 x i16> zeroinitializer)
  %e = extractelement <16 x i8> %p, i64 0
  %z = zext i8 %e to i32
  %r = add i32 %m, %z
  ret i32 %r }
declare i32 @llvm.x86.sse.movmsk.ps(<4 x float>)
declare <16 x i8> @llvm.x86.sse2.packuswb.128(<8 x i16>, <8 x i16>)
