//! Panics may pass through C.
//!
//! Clang marks whatever it compiles without `-fexceptions` as never unwinding, and passes then drop what callers do when it
//! does. But the tables that an unwinder needs are there on x86-64, and a panic of a Rust callback passes the frames of C
//! between `extern "C-unwind"` functions natively. So nothing is taken from C's marks. Rust's are kept: they are promises of
//! its `extern "C"`, which the engine checks.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use inkwell::module::Module;

const FUNCTION: LLVMAttributeIndex = LLVMAttributeFunctionIndex;

/// Takes the marks away from functions that are not Rust's and from the calls in them.
pub fn may_pass_c(module: &Module<'_>) {
    let name = "nounwind";
    // SAFETY: the module is valid, and the values walked through are its own.
    unsafe {
        let nounwind = LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len());
        let mut function = LLVMGetFirstFunction(module.as_mut_ptr());
        while !function.is_null() {
            if LLVMGetIntrinsicID(function) == 0 && !is_rust(function) {
                LLVMRemoveEnumAttributeAtIndex(function, FUNCTION, nounwind);
                for_each_call(function, |call| {
                    LLVMRemoveCallSiteEnumAttribute(call, FUNCTION, nounwind);
                });
            }
            function = LLVMGetNextFunction(function);
        }
    }
}

/// Is a function compiled from Rust, by the file that its debug information names?
unsafe fn is_rust(function: LLVMValueRef) -> bool {
    // SAFETY: as above.
    unsafe {
        let subprogram = LLVMGetSubprogram(function);
        if subprogram.is_null() {
            return false;
        }
        let file = LLVMDIScopeGetFile(subprogram);
        if file.is_null() {
            return false;
        }
        let mut length = 0;
        let name = LLVMDIFileGetFilename(file, &mut length);
        !name.is_null()
            && std::slice::from_raw_parts(name.cast::<u8>(), length as usize).ends_with(b".rs")
    }
}

unsafe fn for_each_call(function: LLVMValueRef, mut visit: impl FnMut(LLVMValueRef)) {
    // SAFETY: as above.
    unsafe {
        let mut block = LLVMGetFirstBasicBlock(function);
        while !block.is_null() {
            let mut instruction = LLVMGetFirstInstruction(block);
            while !instruction.is_null() {
                if !LLVMIsACallInst(instruction).is_null()
                    || !LLVMIsAInvokeInst(instruction).is_null()
                {
                    visit(instruction);
                }
                instruction = LLVMGetNextInstruction(instruction);
            }
            block = LLVMGetNextBasicBlock(block);
        }
    }
}
