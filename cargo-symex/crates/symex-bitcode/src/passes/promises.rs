//! Promises that programs make and do not keep, or that hold only for a compiler that need not find
//! bugs.
//!
//! - Clang marks whatever it compiles without `-fexceptions` as never unwinding, and passes then
//!   drop what callers do when it does. But the tables that an unwinder needs are there on x86-64,
//!   and a panic of a Rust callback passes the frames of C between `extern "C-unwind"` functions
//!   natively. So nothing is taken from C's marks. Rust's are kept: they are promises of its
//!   `extern "C"`, which the engine checks.
//! - A call whose value is not used is dropped when the function is said to return and to write
//!   nothing, as `__attribute__((pure))` and the builtin `strlen` are: what it reads may be out of
//!   bounds.
//! - What a parameter promises of aliasing helps none of the passes that are run, and the inliner
//!   keeps books on it for each call that it inlines, which took as long as all other passes
//!   together.
//! - An allocation that is not used is dropped: it may be a leak, and it may fail.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use inkwell::module::Module;
use smallvec::SmallVec;

use super::super::llvm::language::is_rust;
use super::walk::is_call;

const FUNCTION: LLVMAttributeIndex = LLVMAttributeFunctionIndex;

/// The number of an attribute.
pub fn kind(name: &str) -> u32 {
    // SAFETY: reads a string of the given length.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// Remover of promises from the functions and calls of a module.
pub struct Promises {
    never_unwinds: u32,
    never_trusted: [u32; 2],
    no_alias: u32,
    not_builtin: LLVMAttributeRef,
}

impl Promises {
    pub fn of(module: &Module<'_>) -> Promises {
        // SAFETY: the module is valid.
        let not_builtin = unsafe {
            let context = LLVMGetModuleContext(module.as_mut_ptr());
            LLVMCreateEnumAttribute(context, kind("nobuiltin"), 0)
        };
        Promises {
            never_unwinds: kind("nounwind"),
            never_trusted: ["willreturn", "allockind"].map(kind),
            no_alias: kind("noalias"),
            not_builtin,
        }
    }

    /// Removes the promises of a function, and those of the calls in its code.
    pub fn take_away(&self, function: LLVMValueRef, code: &[LLVMValueRef]) {
        // SAFETY: the function is one, and the code is its own.
        unsafe {
            if LLVMGetIntrinsicID(function) != 0 {
                return;
            }
            let mut taken = SmallVec::<[u32; 3]>::from_slice(&self.never_trusted);
            taken.extend((!is_rust(function)).then_some(self.never_unwinds));
            for &kind in &taken {
                LLVMRemoveEnumAttributeAtIndex(function, FUNCTION, kind);
            }
            for number in 1..=LLVMCountParams(function) {
                LLVMRemoveEnumAttributeAtIndex(function, number, self.no_alias);
            }
            for &call in code.iter().filter(|&&instruction| is_call(instruction)) {
                let callee = LLVMIsAFunction(LLVMGetCalledValue(call));
                if !callee.is_null() && LLVMGetIntrinsicID(callee) != 0 {
                    continue;
                }
                for &kind in &taken {
                    LLVMRemoveCallSiteEnumAttribute(call, FUNCTION, kind);
                }
                for number in 1..=LLVMGetNumArgOperands(call) {
                    LLVMRemoveCallSiteEnumAttribute(call, number, self.no_alias);
                }
                if !callee.is_null() && LLVMIsDeclaration(callee) != 0 {
                    LLVMAddCallSiteAttribute(call, FUNCTION, self.not_builtin);
                }
            }
        }
    }
}
