//! Functions that call what returns twice (`setjmp`): their variables stay in memory.
//!
//! After a jump back, memory is as it was at the jump, and registers are as they were at the call. C leaves variables that
//! were changed in between indeterminate unless they are `volatile`; compiled without optimisation they are what is in
//! memory, which is what most programs go by and how findings are confirmed. So such functions are not optimised.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use inkwell::module::Module;

const FUNCTION: LLVMAttributeIndex = LLVMAttributeFunctionIndex;

fn kind(name: &str) -> u32 {
    // SAFETY: reads a string of so many bytes.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

/// Keeps all passes from functions with such calls.
pub fn leave_alone(module: &Module<'_>) {
    let twice = kind("returns_twice");
    let against = ["alwaysinline", "minsize", "optsize", "optdebug"].map(kind);
    let wanted = ["noinline", "optnone"].map(kind);
    // SAFETY: the module is valid, and the values walked through are its own.
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let mut function = LLVMGetFirstFunction(module.as_mut_ptr());
        while !function.is_null() {
            if calls(function, twice) {
                for kind in against {
                    LLVMRemoveEnumAttributeAtIndex(function, FUNCTION, kind);
                }
                for kind in wanted {
                    let attribute = LLVMCreateEnumAttribute(context, kind, 0);
                    LLVMAddAttributeAtIndex(function, FUNCTION, attribute);
                }
            }
            function = LLVMGetNextFunction(function);
        }
    }
}

/// Does a function call one with this attribute?
unsafe fn calls(function: LLVMValueRef, attribute: u32) -> bool {
    // SAFETY: as above.
    unsafe {
        let mut block = LLVMGetFirstBasicBlock(function);
        while !block.is_null() {
            let mut instruction = LLVMGetFirstInstruction(block);
            while !instruction.is_null() {
                if is_call(instruction) {
                    let called = LLVMGetCalledValue(instruction);
                    let callee = LLVMIsAFunction(called);
                    let site = LLVMGetCallSiteEnumAttribute(instruction, FUNCTION, attribute);
                    let has_it = !site.is_null()
                        || !callee.is_null()
                            && !LLVMGetEnumAttributeAtIndex(callee, FUNCTION, attribute).is_null();
                    if has_it {
                        return true;
                    }
                }
                instruction = LLVMGetNextInstruction(instruction);
            }
            block = LLVMGetNextBasicBlock(block);
        }
    }
    false
}

unsafe fn is_call(instruction: LLVMValueRef) -> bool {
    // SAFETY: as above.
    unsafe { !LLVMIsACallInst(instruction).is_null() || !LLVMIsAInvokeInst(instruction).is_null() }
}
