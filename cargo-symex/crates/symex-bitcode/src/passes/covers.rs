//! Cover points that no path comes to have to be missed, too, even those that the passes drop
//! because no path can. So each root tells all of those that it may come to, as cover points that
//! it does not meet, before anything is dropped.

use std::collections::BTreeSet;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::module::Module;
use inkwell::values::AsValueRef as _;
use symex_abi::hooks::COVER;

use super::super::llvm::kinds::{Linkage, linkage};

use super::walk::{functions, instructions, is_call, users};

/// Lets each root begin with a call of the hook, with a condition that does not hold, for every
/// cover point in what it calls, directly or by way of others. Calls through pointers are not
/// followed.
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

/// The calls of cover points in what a function calls, one for each point; of those with the same
/// name, the first.
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

/// Puts calls before all that a function does.
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
