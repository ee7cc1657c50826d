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
    /// Functions with variables that are kept in memory, and how many those are.
    kept: Vec<(LLVMValueRef, usize)>,
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
                kept: Vec::new(),
            }
        };
        for function in guard.functions() {
            let kept = guard.place_in(function);
            if kept > 0 {
                guard.kept.push((function, kept));
            }
        }
        guard
    }

    /// The functions with variables that stay in memory although passes might do without, because their address is kept in
    /// another variable, and how many those are.
    pub fn kept(&self) -> &[(LLVMValueRef, usize)] {
        &self.kept
    }

    /// Marks a function anew, after passes; the number is that of [`kept`](Self::kept).
    pub fn renew(&self, function: LLVMValueRef) -> usize {
        self.remove_from(function);
        self.place_in(function)
    }

    /// Marks a function that has no marks.
    fn place_in(&self, function: LLVMValueRef) -> usize {
        let code = instructions(function);
        self.mark_volatile(&code);
        self.place_barriers_in(&code);
        let doubts = initialized::doubts(function, self.layout);
        for load in doubts.loads {
            self.make_volatile(load);
        }
        let kept = doubts.variables.len();
        for variable in doubts.variables {
            self.keep(variable);
        }
        self.keep_unused_reads(&code);
        kept
    }

    /// Marks once more the places that passes have turned into something not to be reached: a store to poison stands where
    /// an uninitialised value was read.
    pub fn place_barriers(&self) {
        for function in self.functions() {
            self.place_barriers_in(&instructions(function));
        }
    }

    fn place_barriers_in(&self, code: &[LLVMValueRef]) {
        for &instruction in code {
            if self.is_forbidden(instruction) {
                self.insert_barrier(instruction);
            }
        }
    }

    /// Takes all marks away.
    pub fn remove(self) {
        for function in self.functions() {
            self.remove_from(function);
        }
        for function in self.called() {
            // SAFETY: nothing calls it any more.
            unsafe { LLVMDeleteFunction(function) };
        }
    }

    fn remove_from(&self, function: LLVMValueRef) {
        let called = self.called();
        // SAFETY: the list is collected before anything is deleted.
        unsafe {
            for instruction in instructions(function) {
                if is_load(instruction) {
                    if LLVMGetMetadata(instruction, self.mark).is_null() {
                        LLVMSetVolatile(instruction, 0);
                    }
                    LLVMSetMetadata(instruction, self.mark, std::ptr::null_mut());
                } else if !LLVMIsACallInst(instruction).is_null()
                    && called.contains(&LLVMGetCalledValue(instruction))
                {
                    LLVMInstructionEraseFromParent(instruction);
                }
            }
        }
    }

    /// The functions that calls of this guard's go to.
    fn called(&self) -> Vec<LLVMValueRef> {
        // SAFETY: the module is valid.
        let named =
            [BARRIER, KEEP].map(|name| unsafe { LLVMGetNamedFunction(self.module, name.as_ptr()) });
        named
            .into_iter()
            .filter(|function| !function.is_null())
            .collect()
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
            let without_effect = match local_store(instruction) {
                Some(variable) => users(variable).into_iter().all(|user| {
                    local_store(user) == Some(variable)
                        || is_load(user) && unused.contains(&user)
                        || is_lifetime(user)
                }),
                None => {
                    unsafe { LLVMIsATerminatorInst(instruction) }.is_null()
                        && is_pure_or_load(instruction)
                        && users(instruction).iter().all(|user| unused.contains(user))
                }
            };
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
    fn mark_volatile(&self, code: &[LLVMValueRef]) {
        // SAFETY: the context is that of the module.
        unsafe {
            let node = LLVMMDNodeInContext2(self.context, std::ptr::null_mut(), 0);
            let node = LLVMMetadataAsValue(self.context, node);
            for &load in code.iter().filter(|&&value| is_load(value)) {
                if LLVMGetVolatile(load) != 0 {
                    LLVMSetMetadata(load, self.mark, node);
                }
            }
        }
    }

    fn make_volatile(&self, load: LLVMValueRef) {
        unsafe { LLVMSetVolatile(load, 1) }
    }
}

pub(super) fn is_load(instruction: LLVMValueRef) -> bool {
    unsafe { LLVMGetInstructionOpcode(instruction) == LLVMOpcode::LLVMLoad }
}

/// The local variable that a store goes to, as long as it is not the variable's address that is stored.
fn local_store(instruction: LLVMValueRef) -> Option<LLVMValueRef> {
    // SAFETY: only asked of instructions; a store has two operands.
    unsafe {
        let is_store = LLVMGetInstructionOpcode(instruction) == LLVMOpcode::LLVMStore;
        let variable = is_store.then(|| LLVMGetOperand(instruction, 1))?;
        let is_local = !LLVMIsAAllocaInst(variable).is_null();
        (is_local && LLVMGetOperand(instruction, 0) != variable).then_some(variable)
    }
}

/// Is it a call that tells when a local variable is alive?
fn is_lifetime(instruction: LLVMValueRef) -> bool {
    // SAFETY: only asked of instructions, and the operand of a call that is asked is what it calls.
    unsafe {
        !LLVMIsAIntrinsicInst(instruction).is_null() && {
            let mut length = 0;
            let name = LLVMGetValueName2(LLVMGetCalledValue(instruction), &mut length);
            std::slice::from_raw_parts(name.cast::<u8>(), length).starts_with(b"llvm.lifetime.")
        }
    }
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
