//! Functions that call a function returning twice (`setjmp`): their variables stay in memory.
//!
//! After a jump back, memory is as it was at the jump, and registers are as they were at the call.
//! C leaves variables that were changed in between indeterminate unless they are `volatile`.
//! Compiled without optimisation they have their values in memory, on which most programs rely and
//! by which findings are confirmed. So such functions are not optimised.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use inkwell::module::Module;

use super::promises::kind;
use super::walk::{all_functions, is_call, users};

const FUNCTION: LLVMAttributeIndex = LLVMAttributeFunctionIndex;

/// Excludes functions with such calls from all passes.
pub fn leave_alone(module: &Module<'_>) {
    let twice = kind("returns_twice");
    let against = ["alwaysinline", "minsize", "optsize", "optdebug"].map(kind);
    let wanted = ["noinline", "optnone"].map(kind);
    // SAFETY: the module is valid, and the values walked through are its own.
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        for callee in all_functions(module.as_mut_ptr()) {
            if LLVMGetEnumAttributeAtIndex(callee, FUNCTION, twice).is_null() {
                continue;
            }
            for call in users(callee).into_iter().filter(|&user| is_call(user)) {
                let function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
                for kind in against {
                    LLVMRemoveEnumAttributeAtIndex(function, FUNCTION, kind);
                }
                for kind in wanted {
                    let attribute = LLVMCreateEnumAttribute(context, kind, 0);
                    LLVMAddAttributeAtIndex(function, FUNCTION, attribute);
                }
            }
        }
    }
}
