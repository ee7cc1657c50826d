//! Values of `core::mem::uninitialized`, which were never written.
//!
//! std fills them with a byte of its own choice, so that old programs that use them go wrong less
//! often. For the language they are uninitialised nonetheless, and so they are here.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;

use super::super::llvm::kinds::{Opcode, opcode};
use super::walk::{called_name, name_of};

/// Part of the names of the instances of `core::mem::uninitialized`, however they are mangled.
const NAME: &[u8] = b"4core3mem13uninitialized";

/// Makes what an instance of `core::mem::uninitialized` returns undefined, if the function is one.
pub fn drop_fill(function: LLVMValueRef, code: &[LLVMValueRef]) {
    if memchr::memmem::find(name_of(function), NAME).is_none() {
        return;
    }
    for &instruction in code {
        // SAFETY: a fill is a call of `(pointer, byte, length, whether volatile)`.
        unsafe {
            let is_fill = opcode(instruction) == Opcode::Call
                && called_name(instruction).starts_with(b"llvm.memset.");
            if is_fill {
                let byte = LLVMTypeOf(LLVMGetOperand(instruction, 1));
                LLVMSetOperand(instruction, 1, LLVMGetUndef(byte));
            }
        }
    }
}
