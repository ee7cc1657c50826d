define i1 @f(ptr %p, i32 %v) {
  %a = load atomic i32, ptr %p seq_cst, align 4
  store atomic i32 %v, ptr %p release, align 4
  fence seq_cst
  %o = atomicrmw umax ptr %p, i32 %a acq_rel, align 4
  %c = cmpxchg weak ptr %p, i32 %o, i32 %v acquire monotonic, align 4
  %r = extractvalue { i32, i1 } %c, 1
  ret i1 %r }
