define <2 x ptr> @f(ptr %p, <2 x i64> %i, <2 x ptr> %q) {
  %a = getelementptr i32, ptr %p, <2 x i64> %i
  %b = getelementptr i8, <2 x ptr> %q, i64 4
  %c = extractelement <2 x ptr> %b, i64 1
  %r = insertelement <2 x ptr> %a, ptr %c, i64 0
  ret <2 x ptr> %r }
