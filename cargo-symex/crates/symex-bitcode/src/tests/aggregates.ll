%t = type { i8, { i32, ptr }, [2 x i16] }
define { i32, i16 } @f(ptr %p, i16 %x) {
  %v = load %t, ptr %p, align 8
  %i = insertvalue %t %v, i16 %x, 2, 1
  store %t %i, ptr %p, align 8
  %a = extractvalue %t %i, 1, 0
  %b = extractvalue %t %i, 2, 1
  %r = insertvalue { i32, i16 } undef, i32 %a, 0
  %s = insertvalue { i32, i16 } %r, i16 %b, 1
  %z = freeze { i32, i16 } %s
  ret { i32, i16 } %z }
