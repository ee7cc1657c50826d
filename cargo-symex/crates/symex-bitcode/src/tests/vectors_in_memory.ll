define void @f(ptr %p) {
  %v = load <2 x i64>, ptr %p, align 16
  %b = load <16 x i1>, ptr %p, align 2
  %s = shufflevector <2 x i64> %v, <2 x i64> poison, <2 x i32> <i32 1, i32 0>
  store <2 x i64> %s, ptr %p, align 8
  %q = shufflevector <16 x i1> %b, <16 x i1> poison, <2 x i32> <i32 15, i32 0>
  store <2 x i1> %q, ptr %p, align 1
  ret void }
