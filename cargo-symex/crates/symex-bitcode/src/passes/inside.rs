//! Analysis of whether an access plainly lies inside a variable.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::{
    LLVMABIAlignmentOfType, LLVMABISizeOfType, LLVMOffsetOfElement, LLVMTargetDataRef,
};

use super::super::llvm::kinds::{
    Linkage, Opcode, TypeKind, constant_opcode, linkage, opcode, type_kind,
};

/// Number of nested selects and phis through which a pointer is followed.
const MOST_CHOICES: usize = 3;
/// Number of pointers that one of them may have.
const MOST_WAYS: u32 = 4;

/// Length and alignment of an access.
#[derive(Clone, Copy)]
pub struct Span {
    /// Length in bytes.
    pub length: u64,
    /// Alignment in bytes; 0 where the instruction does not state it.
    pub align: u64,
    pub writes: bool,
}

/// Reports whether the bytes lie inside a local or a global variable of this module, whatever the
/// pointer's value is.
pub fn is_inside(pointer: LLVMValueRef, span: Span, layout: LLVMTargetDataRef) -> bool {
    // SAFETY: the pointer is a value of the module that the layout is of.
    unsafe { lies_inside(pointer, 0, span, layout, MOST_CHOICES) }
}

unsafe fn lies_inside(
    mut pointer: LLVMValueRef,
    mut offset: u64,
    span: Span,
    layout: LLVMTargetDataRef,
    choices: usize,
) -> bool {
    // SAFETY: operands are read as the opcode defines them.
    unsafe {
        loop {
            if !LLVMIsAAllocaInst(pointer).is_null() {
                let ty = LLVMGetAllocatedType(pointer);
                return is_one(pointer) && fits(pointer, ty, offset, span, layout);
            }
            if !LLVMIsAGlobalVariable(pointer).is_null() {
                let ty = LLVMGlobalGetValueType(pointer);
                let is_known = LLVMIsDeclaration(pointer) == 0
                    && linkage(pointer) != Linkage::ExternalWeak
                    && !(span.writes && LLVMIsGlobalConstant(pointer) != 0);
                return is_known && fits(pointer, ty, offset, span, layout);
            }
            let opcode = if !LLVMIsAConstantExpr(pointer).is_null() {
                constant_opcode(pointer)
            } else if !LLVMIsAInstruction(pointer).is_null() {
                opcode(pointer)
            } else {
                return false;
            };
            match opcode {
                Opcode::GetElementPtr => {
                    let Some(sum) = constant_offset(pointer, Some(offset), layout) else {
                        return false;
                    };
                    offset = sum;
                    pointer = LLVMGetOperand(pointer, 0);
                }
                Opcode::Select if choices > 0 => {
                    return [1, 2].into_iter().all(|side| {
                        let side = LLVMGetOperand(pointer, side);
                        lies_inside(side, offset, span, layout, choices - 1)
                    });
                }
                Opcode::PHI if choices > 0 && LLVMCountIncoming(pointer) <= MOST_WAYS => {
                    return (0..LLVMCountIncoming(pointer)).all(|way| {
                        let value = LLVMGetIncomingValue(pointer, way);
                        lies_inside(value, offset, span, layout, choices - 1)
                    });
                }
                _ => return false,
            }
        }
    }
}

unsafe fn fits(
    variable: LLVMValueRef,
    ty: LLVMTypeRef,
    offset: u64,
    span: Span,
    layout: LLVMTargetDataRef,
) -> bool {
    // SAFETY: variables have sized types.
    unsafe {
        let align = match LLVMGetAlignment(variable) {
            0 => u64::from(LLVMABIAlignmentOfType(layout, ty)),
            said => u64::from(said),
        };
        let end = offset.checked_add(span.length);
        let is_aligned =
            span.align <= 1 || span.align <= align && offset.is_multiple_of(span.align);
        end.is_some_and(|end| end <= LLVMABISizeOfType(layout, ty)) && is_aligned
    }
}

/// Reports whether an `alloca` is a single variable, not an array.
pub fn is_one(variable: LLVMValueRef) -> bool {
    // SAFETY: an `alloca` has one operand.
    unsafe {
        let count = LLVMGetOperand(variable, 0);
        !LLVMIsAConstantInt(count).is_null() && LLVMConstIntGetZExtValue(count) == 1
    }
}

/// Returns the offset of an address computation over bytes with constant indices; `None` for other
/// source types.
pub unsafe fn constant_offset(
    address: LLVMValueRef,
    base: Option<u64>,
    layout: LLVMTargetDataRef,
) -> Option<u64> {
    // SAFETY: the caller says that it is a `getelementptr`.
    unsafe {
        let mut ty = LLVMGetGEPSourceElementType(address);
        let mut offset = base?;
        for operand in 1..LLVMGetNumOperands(address) as u32 {
            let index = LLVMGetOperand(address, operand);
            if LLVMIsAConstantInt(index).is_null() {
                return None;
            }
            let index = LLVMConstIntGetZExtValue(index);
            let step = if operand == 1 {
                index.checked_mul(LLVMABISizeOfType(layout, ty))?
            } else if type_kind(ty) == TypeKind::Struct {
                let field = u32::try_from(index).ok()?;
                let at = LLVMOffsetOfElement(layout, ty, field);
                ty = LLVMStructGetTypeAtIndex(ty, field);
                at
            } else {
                ty = LLVMGetElementType(ty);
                index.checked_mul(LLVMABISizeOfType(layout, ty))?
            };
            offset = offset.checked_add(step)?;
        }
        Some(offset)
    }
}
