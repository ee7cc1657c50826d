//! Keeps optimisation from hiding bugs.
//!
//! LLVM may assume that undefined behaviour does not happen, and then what the engine looks for is gone: a read of an
//! uninitialised variable is folded to whatever suits, a branch to `unreachable` is dropped, an unused read out of bounds is
//! deleted. So before the passes run, such places are marked in a way that LLVM has to respect, and afterwards the marks are
//! taken away.
//!
//! Invariant: `Guard::remove` leaves no trace of the marks; a module that no pass has touched is the same as before.

use std::collections::BTreeSet;
use std::ffi::CStr;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::{LLVMGetModuleDataLayout, LLVMTargetDataRef};
use inkwell::llvm_sys::{LLVMOpcode, LLVMTypeKind};
use inkwell::module::Module;
use rustc_hash::FxHashSet;

use super::initialized;

/// A call of it stands before each place that must not be reached. LLVM knows nothing about the function, so the call, and
/// the way to it, stay. It cannot be a symbol of a program.
const BARRIER: &CStr = c"symex.guard.barrier";
/// A call of it with the address of a variable keeps the variable in memory.
const KEEP: &CStr = c"symex.guard.keep";
const MARK: &[u8] = b"symex.guard";

/// The marks in one module.
pub struct Guard {
    module: LLVMModuleRef,
    context: LLVMContextRef,
    layout: LLVMTargetDataRef,
    mark: u32,
    /// Variables that are kept in memory.
    kept: usize,
}

/// The instructions of a function, block by block.
pub(super) fn instructions(function: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut all = Vec::new();
    // SAFETY: the lists of blocks and instructions end with null.
    unsafe {
        let mut block = LLVMGetFirstBasicBlock(function);
        while !block.is_null() {
            let mut instruction = LLVMGetFirstInstruction(block);
            while !instruction.is_null() {
                all.push(instruction);
                instruction = LLVMGetNextInstruction(instruction);
            }
            block = LLVMGetNextBasicBlock(block);
        }
    }
    all
}

/// The users of a value, in LLVM's order.
pub(super) fn users(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    let mut all = Vec::new();
    // SAFETY: the list of uses ends with null.
    unsafe {
        let mut usage = LLVMGetFirstUse(value);
        while !usage.is_null() {
            all.push(LLVMGetUser(usage));
            usage = LLVMGetNextUse(usage);
        }
    }
    all
}

impl Guard {
    /// Marks what the passes must not take away.
    pub fn place(module: &Module<'_>) -> Self {
        let module = module.as_mut_ptr();
        // SAFETY: the module is valid and outlives the guard's use in `run`.
        let mut guard = unsafe {
            let context = LLVMGetModuleContext(module);
            let mark = LLVMGetMDKindIDInContext(context, MARK.as_ptr().cast(), MARK.len() as u32);
            Guard {
                module,
                context,
                layout: LLVMGetModuleDataLayout(module),
                mark,
                kept: 0,
            }
        };
        guard.mark_volatile();
        guard.place_barriers();
        for function in guard.functions() {
            let code = instructions(function);
            let doubts = initialized::doubts(function, guard.layout);
            for load in doubts.loads {
                guard.make_volatile(load);
            }
            for variable in doubts.variables {
                guard.keep(variable);
                guard.kept += 1;
            }
            guard.keep_unused_reads(&code);
        }
        guard
    }

    /// How many variables stay in memory although passes might do without, because their address is kept in another variable.
    pub fn kept(&self) -> usize {
        self.kept
    }

    /// Marks once more the places that passes have turned into something not to be reached: a store to poison stands where
    /// an uninitialised value was read.
    pub fn place_barriers(&self) {
        for function in self.functions() {
            for instruction in instructions(function) {
                if self.is_forbidden(instruction) {
                    self.insert_barrier(instruction);
                }
            }
        }
    }

    /// Takes all marks away.
    pub fn remove(self) {
        // SAFETY: the lists are collected before anything is deleted.
        unsafe {
            for load in self.loads() {
                if LLVMGetMetadata(load, self.mark).is_null() {
                    LLVMSetVolatile(load, 0);
                }
                LLVMSetMetadata(load, self.mark, std::ptr::null_mut());
            }
            for name in [BARRIER, KEEP] {
                let function = LLVMGetNamedFunction(self.module, name.as_ptr());
                if function.is_null() {
                    continue;
                }
                for call in users(function) {
                    LLVMInstructionEraseFromParent(call);
                }
                LLVMDeleteFunction(function);
            }
        }
    }

    fn functions(&self) -> Vec<LLVMValueRef> {
        let mut all = Vec::new();
        // SAFETY: the list of functions ends with null.
        unsafe {
            let mut function = LLVMGetFirstFunction(self.module);
            while !function.is_null() {
                if LLVMIsDeclaration(function) == 0 {
                    all.push(function);
                }
                function = LLVMGetNextFunction(function);
            }
        }
        all
    }

    /// True where control must not get, or where poison is stored through.
    fn is_forbidden(&self, instruction: LLVMValueRef) -> bool {
        unsafe {
            match LLVMGetInstructionOpcode(instruction) {
                LLVMOpcode::LLVMUnreachable => true,
                LLVMOpcode::LLVMStore => {
                    !LLVMIsAPoisonValue(LLVMGetOperand(instruction, 1)).is_null()
                }
                _ => false,
            }
        }
    }

    /// Lets the address of a variable get away, right behind the variable.
    fn keep(&self, variable: LLVMValueRef) {
        // SAFETY: a variable is an instruction, and no terminator.
        unsafe {
            let mut pointer = LLVMTypeOf(variable);
            let ty = LLVMFunctionType(LLVMVoidTypeInContext(self.context), &mut pointer, 1, 0);
            let mut keep = LLVMGetNamedFunction(self.module, KEEP.as_ptr());
            if keep.is_null() {
                keep = LLVMAddFunction(self.module, KEEP.as_ptr(), ty);
            }
            let builder = LLVMCreateBuilderInContext(self.context);
            LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(variable));
            let mut arguments = [variable];
            LLVMBuildCall2(builder, ty, keep, arguments.as_mut_ptr(), 1, c"".as_ptr());
            LLVMDisposeBuilder(builder);
        }
    }

    fn insert_barrier(&self, before: LLVMValueRef) {
        unsafe {
            let ty = LLVMFunctionType(
                LLVMVoidTypeInContext(self.context),
                std::ptr::null_mut(),
                0,
                0,
            );
            let mut barrier = LLVMGetNamedFunction(self.module, BARRIER.as_ptr());
            if barrier.is_null() {
                barrier = LLVMAddFunction(self.module, BARRIER.as_ptr(), ty);
            }
            let previous = LLVMGetPreviousInstruction(before);
            let is_call = !previous.is_null() && !LLVMIsACallInst(previous).is_null();
            if is_call && LLVMGetCalledValue(previous) == barrier {
                return;
            }
            let builder = LLVMCreateBuilderInContext(self.context);
            LLVMPositionBuilderBefore(builder, before);
            LLVMBuildCall2(builder, ty, barrier, std::ptr::null_mut(), 0, c"".as_ptr());
            LLVMDisposeBuilder(builder);
        }
    }

    /// Keeps reads whose value goes nowhere: deleting one is right only if it cannot fail.
    fn keep_unused_reads(&self, code: &[LLVMValueRef]) {
        let mut unused: FxHashSet<LLVMValueRef> = FxHashSet::default();
        // Backwards, so that users come before what they use, except around loops.
        for &instruction in code.iter().rev() {
            let without_effect = unsafe { LLVMIsATerminatorInst(instruction) }.is_null()
                && is_pure_or_load(instruction)
                && users(instruction).iter().all(|user| unused.contains(user));
            if without_effect {
                unused.insert(instruction);
            }
        }
        let loads: BTreeSet<LLVMValueRef> =
            unused.into_iter().filter(|&value| is_load(value)).collect();
        for load in loads {
            let from_stack = unsafe { !LLVMIsAAllocaInst(LLVMGetOperand(load, 0)).is_null() };
            if !from_stack {
                self.make_volatile(load);
            }
        }
    }

    /// Marks the loads that are volatile in the program itself: passes copy such marks less reliably than volatility, so
    /// it is not the loads made volatile here that are marked.
    fn mark_volatile(&self) {
        // SAFETY: the context is that of the module.
        unsafe {
            let node = LLVMMDNodeInContext2(self.context, std::ptr::null_mut(), 0);
            let node = LLVMMetadataAsValue(self.context, node);
            for load in self.loads() {
                if LLVMGetVolatile(load) != 0 {
                    LLVMSetMetadata(load, self.mark, node);
                }
            }
        }
    }

    fn loads(&self) -> Vec<LLVMValueRef> {
        self.functions()
            .into_iter()
            .flat_map(instructions)
            .filter(|&value| is_load(value))
            .collect()
    }

    fn make_volatile(&self, load: LLVMValueRef) {
        unsafe { LLVMSetVolatile(load, 1) }
    }
}

pub(super) fn is_load(instruction: LLVMValueRef) -> bool {
    unsafe { LLVMGetInstructionOpcode(instruction) == LLVMOpcode::LLVMLoad }
}

/// Instructions that LLVM deletes when nothing uses them, calls apart.
fn is_pure_or_load(instruction: LLVMValueRef) -> bool {
    use LLVMOpcode::*;
    // SAFETY: only asked of instructions.
    let opcode = unsafe { LLVMGetInstructionOpcode(instruction) };
    if opcode == LLVMLoad {
        return unsafe {
            LLVMGetTypeKind(LLVMTypeOf(instruction)) != LLVMTypeKind::LLVMVoidTypeKind
        };
    }
    !matches!(
        opcode,
        LLVMStore
            | LLVMCall
            | LLVMInvoke
            | LLVMFence
            | LLVMAtomicCmpXchg
            | LLVMAtomicRMW
            | LLVMLandingPad
            | LLVMAlloca
            | LLVMVAArg
            | LLVMCatchPad
            | LLVMCleanupPad
    )
}
