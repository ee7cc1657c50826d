@a = global [4 x i32] zeroinitializer
@b = alias i32, getelementptr (i8, ptr @a, i64 4)
declare void @fn()
define i32 @f(i1 %c) {
entry:
  br i1 %c, label %x, label %y
x:
  br label %y
y:
  %d = phi i64 [ sub (i64 ptrtoint (ptr @b to i64), i64 ptrtoint (ptr @fn to i64)), %entry ], [ ptrtoint (ptr @b to i64), %x ]
  %t = trunc i64 %d to i32
  %u = add i32 %t, trunc (i64 ptrtoint (ptr @a to i64) to i32)
  %v = icmp eq ptr getelementptr (i8, ptr @fn, i64 1), inttoptr (i64 -1 to ptr)
  %r = select i1 %v, i32 %u, i32 undef
  ret i32 %r }
