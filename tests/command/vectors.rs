//! Tests of accesses to memory by vectors with a mask, in programs given as bitcode: an element
//! that the mask leaves out is not accessed.

use crate::support::{finish, symex};

/// Program that loads, stores, gathers and scatters the words that an input chooses, and checks
/// their sum.
const PROGRAM: &str = r#"
declare void @symex_make_symbolic(ptr, i64, ptr)
declare void @abort()
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr, i32, <4 x i1>)
declare <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr>, i32, <4 x i1>, <4 x i32>)
declare void @llvm.masked.scatter.v4i32.v4p0(<4 x i32>, <4 x ptr>, i32, <4 x i1>)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
@name = private constant [2 x i8] c"x\00"
@words = global [3 x i32] [i32 1, i32 2, i32 3], align 16

define i32 @main() {
  %x = alloca i8
  call void @symex_make_symbolic(ptr %x, i64 1, ptr @name)
  %input = load i8, ptr %x
  %bits = trunc i8 %input to i4
  %mask = bitcast i4 %bits to <4 x i1>
  %loaded = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr @words, i32 4, <4 x i1> %mask, <4 x i32> <i32 100, i32 100, i32 100, i32 100>)
  %copy = alloca [4 x i32], align 16
  store [4 x i32] [i32 100, i32 100, i32 100, i32 100], ptr %copy
  call void @llvm.masked.store.v4i32.p0(<4 x i32> %loaded, ptr %copy, i32 4, <4 x i1> %mask)
  %first = insertelement <4 x ptr> poison, ptr %copy, i32 0
  %all = shufflevector <4 x ptr> %first, <4 x ptr> poison, <4 x i32> zeroinitializer
  %places = getelementptr i32, <4 x ptr> %all, <4 x i64> <i64 3, i64 2, i64 1, i64 0>
  %gathered = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> %places, i32 4, <4 x i1> <i1 1, i1 1, i1 1, i1 0>, <4 x i32> zeroinitializer)
  call void @llvm.masked.scatter.v4i32.v4p0(<4 x i32> %gathered, <4 x ptr> %places, i32 4, <4 x i1> <i1 0, i1 0, i1 0, i1 1>)
  %lowest = load i32, ptr %copy
  %sum = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %gathered)
  %total = add i32 %sum, %lowest
  %with_lowest = or i4 %bits, 1
  %is_low = icmp eq i4 %with_lowest, 7
  %is_sum = icmp eq i32 %total, 105
  %is_wrong = xor i1 %is_low, %is_sum
  br i1 %is_wrong, label %fail, label %end
fail:
  call void @abort()
  unreachable
end:
  ret i32 0
}
"#;

#[test]
fn only_the_elements_of_the_mask_are_accessed() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("program.ll");
    std::fs::write(&file, PROGRAM).expect("the program is written");
    for passes in ["default", "none"] {
        let mut command = symex(["bitcode", "--message-format", "json", "--passes", passes]);
        command.current_dir(folder.path()).arg(&file);
        let finished = finish(command).only();
        assert_eq!(finished["verdict"], "bug", "{finished}");
        let findings = finished["findings"].as_array().expect("findings");
        assert_eq!(findings.len(), 1, "{finished}");
        assert_eq!(findings[0]["kind"], "out-of-bounds");
        // The fourth word is not there.
        let input = findings[0]["inputs"][0]["bytes"][0].as_u64();
        assert!(input.is_some_and(|input| input & 8 != 0), "{findings:?}");
    }
}
