define void @f(ptr %p, ptr %q) {
  %a = load x86_fp80, ptr %p, align 16
  %n = fneg x86_fp80 %a
  store x86_fp80 %n, ptr %q, align 16
  store x86_fp80 0xK3FFF8000000000000000, ptr %q, align 16
  %s = fadd x86_fp80 %n, %n
  store x86_fp80 %s, ptr %p, align 16
  ret void }
define void @g(ptr %p, ptr %q) {
  %x = load bfloat, ptr %p
  %n = fneg bfloat %x
  store bfloat %n, ptr %q
  store bfloat 0xR3F80, ptr %q
  %y = fadd bfloat %n, %n
  store bfloat %y, ptr %p
  ret void }
