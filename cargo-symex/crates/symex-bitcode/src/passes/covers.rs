//! Announcement of cover points. A cover point that no path reaches has to be reported as missed,
//! even if the passes drop it because no path can reach it. So each root reports all cover points
//! that it may reach, with a false condition, before anything is dropped.

use std::collections::BTreeSet;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::module::Module;
use inkwell::values::AsValueRef as _;
use symex_abi::hooks::COVER;

use super::super::llvm::kinds::{Linkage, linkage};

use super::walk::{functions, instructions, is_call, users};

/// Inserts at the beginning of each root a call of the hook, with a false condition, for every
/// cover point in its direct and indirect callees. Calls through pointers are not followed.
pub fn announce(module: &Module<'_>) {
    let Some(hook) = module.get_function(COVER) else {
        return;
    };
    let (module, hook) = (module.as_mut_ptr(), hook.as_value_ref());
    // SAFETY: the module is valid, and nothing of it is deleted here.
    unsafe {
        if users(hook).is_empty() {
            return;
        }
        for root in functions(module) {
            let hidden = [Linkage::Internal, Linkage::Private].contains(&linkage(root));
            if !hidden {
                let points = points(root, hook);
                begin_with(root, hook, &points);
            }
        }
    }
}

/// Returns the calls of cover points in the callees of a function, one for each name: the first.
unsafe fn points(root: LLVMValueRef, hook: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut points = Vec::new();
    let mut names = BTreeSet::new();
    let mut seen = BTreeSet::from([root]);
    let mut open = vec![root];
    while let Some(function) = open.pop() {
        for instruction in instructions(function) {
            // SAFETY: operands are asked of calls only.
            unsafe {
                if !is_call(instruction) {
                    continue;
                }
                let callee = LLVMGetCalledValue(instruction);
                if callee == hook {
                    // A name that is no constant is known only when a path comes to it.
                    let is_known = LLVMGetNumArgOperands(instruction) == 2
                        && LLVMIsConstant(LLVMGetOperand(instruction, 1)) != 0;
                    if is_known && names.insert(LLVMGetOperand(instruction, 1)) {
                        points.push(instruction);
                    }
                } else if !LLVMIsAFunction(callee).is_null() && seen.insert(callee) {
                    open.push(callee);
                }
            }
        }
    }
    points
}

/// Inserts calls at the beginning of a function.
unsafe fn begin_with(function: LLVMValueRef, hook: LLVMValueRef, points: &[LLVMValueRef]) {
    if points.is_empty() {
        return;
    }
    // SAFETY: a function with a body has a first block, and that has a terminator.
    unsafe {
        let context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
        let builder = LLVMCreateBuilderInContext(context);
        let first = LLVMGetFirstInstruction(LLVMGetFirstBasicBlock(function));
        LLVMPositionBuilderBefore(builder, first);
        for &point in points {
            let condition = LLVMConstNull(LLVMTypeOf(LLVMGetOperand(point, 0)));
            let mut arguments = [condition, LLVMGetOperand(point, 1)];
            let ty = LLVMGetCalledFunctionType(point);
            LLVMBuildCall2(builder, ty, hook, arguments.as_mut_ptr(), 2, c"".as_ptr());
        }
        LLVMDisposeBuilder(builder);
    }
}
