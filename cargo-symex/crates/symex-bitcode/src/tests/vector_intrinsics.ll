define <2 x i1> @f(<2 x i8> %a, <2 x float> %x) {
  %s = call { <2 x i8>, <2 x i1> } @llvm.umul.with.overflow.v2i8(<2 x i8> %a, <2 x i8> %a)
  %o = extractvalue { <2 x i8>, <2 x i1> } %s, 1
  %m = call <2 x float> @llvm.fma.v2f32(<2 x float> %x, <2 x float> %x, <2 x float> %x)
  %i = call <2 x i32> @llvm.fptoui.sat.v2i32.v2f32(<2 x float> %m)
  %c = icmp eq <2 x i32> %i, zeroinitializer
  %r = or <2 x i1> %c, %o
  ret <2 x i1> %r }
declare { <2 x i8>, <2 x i1> } @llvm.umul.with.overflow.v2i8(<2 x i8>, <2 x i8>)
declare <2 x float> @llvm.fma.v2f32(<2 x float>, <2 x float>, <2 x float>)
declare <2 x i32> @llvm.fptoui.sat.v2i32.v2f32(<2 x float>)
