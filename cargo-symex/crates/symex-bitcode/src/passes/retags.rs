//! Retags: the calls by which rustc says where references are made, if it is asked to
//! (`-Zcodegen-emit-retag`).
//!
//! In code with retags, each call keeps its frame: a reference that is an argument is protected
//! until its function returns. And conversions between pointers and integers stay visible: what is
//! made of an integer may be any pointer whose address was exposed.

use std::ffi::CStr;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::module::Module;

use super::super::llvm::kinds::{Opcode, TypeKind, opcode, type_kind};
use super::walk::{functions, instructions, users};

/// Names of the functions that stand for retags.
const RETAGS: [&str; 2] = ["__rust_retag_reg", "__rust_retag_mem"];

/// Functions that stand for conversions between pointers and integers.
const POINTER_OF_INTEGER: &CStr = c"__symex_pointer_of_integer";
const INTEGER_OF_POINTER: &CStr = c"__symex_integer_of_pointer";

/// Reports whether a module has retags.
pub fn has_any(module: &Module<'_>) -> bool {
    RETAGS
        .iter()
        .any(|name| module.get_function(name).is_some())
}

/// Puts calls in the place of conversions between pointers and integers.
pub fn mark_conversions(module: &Module<'_>) {
    let module = module.as_mut_ptr();
    let code = functions(module).into_iter().flat_map(instructions);
    let conversion = |i: LLVMValueRef| Some((i, stand_in(i)?));
    let conversions: Vec<(LLVMValueRef, &CStr)> = code.filter_map(conversion).collect();
    // SAFETY: the module is valid, and the instructions are its own; each call gives what the
    // conversion that it replaces gave.
    unsafe {
        let builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
        for (conversion, name) in conversions {
            let mut operand = [LLVMGetOperand(conversion, 0)];
            let mut from = [LLVMTypeOf(operand[0])];
            let ty = LLVMFunctionType(LLVMTypeOf(conversion), from.as_mut_ptr(), 1, 0);
            let mut function = LLVMGetNamedFunction(module, name.as_ptr());
            if function.is_null() {
                function = LLVMAddFunction(module, name.as_ptr(), ty);
            }
            LLVMPositionBuilderBefore(builder, conversion);
            let arguments = operand.as_mut_ptr();
            let call = LLVMBuildCall2(builder, ty, function, arguments, 1, c"".as_ptr());
            LLVMReplaceAllUsesWith(conversion, call);
            LLVMInstructionEraseFromParent(conversion);
        }
        LLVMDisposeBuilder(builder);
    }
}

/// Returns the function that stands for an instruction, if it converts between one pointer and a
/// word. An integer that is only compared exposes nothing.
fn stand_in(instruction: LLVMValueRef) -> Option<&'static CStr> {
    // SAFETY: only asked of instructions, and a conversion has an operand.
    unsafe {
        let is_word = |ty| type_kind(ty) == TypeKind::Integer && LLVMGetIntTypeWidth(ty) == 64;
        match opcode(instruction) {
            Opcode::IntToPtr if is_word(LLVMTypeOf(LLVMGetOperand(instruction, 0))) => {
                Some(POINTER_OF_INTEGER)
            }
            Opcode::PtrToInt if is_word(LLVMTypeOf(instruction)) => {
                let is_compared = |&user: &LLVMValueRef| {
                    !LLVMIsAInstruction(user).is_null() && opcode(user) == Opcode::ICmp
                };
                // One that is not used at all was asked for to expose.
                let users = users(instruction);
                let is_only_compared = !users.is_empty() && users.iter().all(is_compared);
                (!is_only_compared).then_some(INTEGER_OF_POINTER)
            }
            _ => None,
        }
    }
}
