define <2 x i16> @f(<2 x i16> %a, i64 %i) {
  %x = extractelement <2 x i16> %a, i64 %i
  %y = insertelement <2 x i16> %a, i16 %x, i32 1
  %z = insertelement <2 x i16> %y, i16 5, i64 %i
  ret <2 x i16> %z }
