@table = constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
define i32 @f(ptr %t) {
entry: indirectbr ptr %t, [label %a, label %b, label %a]
a: ret i32 1
b: ret i32 2 }
