//! Constants that are not folded before accesses are checked.
//!
//! A read at a known place of a constant is computed when the function around it is inlined. Behind
//! the end of the constant there is nothing to compute, and the result is poison: the read is gone
//! before it gets a check. So until then the constants pass for variables that something else
//! initialises. Those with pointers in them are left out: what is called through a table of methods
//! is known by them.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::module::Module;
use inkwell::values::AsValueRef;

use super::super::llvm::kinds::{Opcode, TypeKind, constant_opcode, opcode, type_kind};

/// Number of parts of a type that are looked at for pointers.
const MOST_PARTS: u32 = 64;

/// Excludes the constants of a module from folding.
pub fn stop(module: &Module<'_>) {
    for global in module.get_globals() {
        // SAFETY: a variable has a type.
        let is_plain = unsafe { is_plain(LLVMGlobalGetValueType(global.as_value_ref())) };
        if global.is_constant() && !global.is_declaration() && is_plain {
            global.set_externally_initialized(true);
        }
    }
}

/// Takes back what [`stop`] did.
pub fn go_on(module: &Module<'_>) {
    for global in module.get_globals() {
        if global.is_constant() {
            global.set_externally_initialized(false);
        }
    }
}

/// Reports whether a pointer leads into a constant, or near it.
pub fn is_of_constant(pointer: LLVMValueRef) -> bool {
    let mut at = pointer;
    // SAFETY: an address computation has a base.
    unsafe {
        loop {
            if !LLVMIsAGlobalVariable(at).is_null() {
                return LLVMIsGlobalConstant(at) != 0;
            }
            let is_computed = !LLVMIsAConstantExpr(at).is_null()
                && constant_opcode(at) == Opcode::GetElementPtr
                || !LLVMIsAInstruction(at).is_null() && opcode(at) == Opcode::GetElementPtr;
            if !is_computed {
                return false;
            }
            at = LLVMGetOperand(at, 0);
        }
    }
}

/// Reports whether a type has no pointers.
unsafe fn is_plain(ty: LLVMTypeRef) -> bool {
    // SAFETY: parts are asked for of the kinds of types that have them.
    unsafe {
        match type_kind(ty) {
            TypeKind::Struct => {
                let count = LLVMCountStructElementTypes(ty);
                count <= MOST_PARTS
                    && (0..count).all(|part| is_plain(LLVMStructGetTypeAtIndex(ty, part)))
            }
            TypeKind::Array => is_plain(LLVMGetElementType(ty)),
            TypeKind::Integer | TypeKind::Half | TypeKind::Float | TypeKind::Double => true,
            _ => false,
        }
    }
}
