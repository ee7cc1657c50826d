//! LLVM bitcode: the only folder that names LLVM.
pub mod link;
pub mod passes;
