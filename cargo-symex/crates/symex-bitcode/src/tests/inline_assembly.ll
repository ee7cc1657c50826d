define i32 @f(ptr %p, i32 %x) {
  call void asm sideeffect "", "r,~{memory}"(ptr %p)
  %y = call i32 asm sideeffect "", "=r,0"(i32 %x)
  %z = call i32 asm "bswap $0", "=r,0"(i32 %y)
  ret i32 %z }
