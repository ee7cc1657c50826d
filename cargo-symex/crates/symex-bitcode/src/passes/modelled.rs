//! Functions with a body that the engine performs itself: they are not inlined, so that it sees
//! their calls.
//!
//! These are the functions of Rust's default allocator. Inlined, they are calls of `malloc` and
//! `free`, which know nothing of the layouts that `dealloc` and `realloc` are given.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use inkwell::module::Module;

use super::promises::kind;
use super::walk::{all_functions, name_of};

/// Part of the names of the default allocator's functions.
const DEFAULT_ALLOCATOR: &[u8] = b"__rdl_";

/// Excludes the functions of a module that the engine performs itself from inlining.
pub fn keep(module: &Module<'_>) {
    const FUNCTION: LLVMAttributeIndex = LLVMAttributeFunctionIndex;
    // SAFETY: the module is valid, and the functions are its own.
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let no_inline = LLVMCreateEnumAttribute(context, kind("noinline"), 0);
        for function in all_functions(module.as_mut_ptr()) {
            if memchr::memmem::find(name_of(function), DEFAULT_ALLOCATOR).is_some() {
                LLVMRemoveEnumAttributeAtIndex(function, FUNCTION, kind("alwaysinline"));
                LLVMAddAttributeAtIndex(function, FUNCTION, no_inline);
            }
        }
    }
}
