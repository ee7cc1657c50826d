//! Guard: marks that keep optimisation from hiding bugs.
//!
//! LLVM may assume that undefined behaviour does not happen, and then the bugs that the engine
//! looks for are gone: a read of an uninitialised variable is folded to whatever suits, a branch to
//! `unreachable` is dropped. So before the passes run, such places are marked in a way that LLVM
//! has to respect, and afterwards the marks are removed.
//!
//! A variable whose unwritten bytes are copied is initialised from a global that LLVM knows nothing
//! about: such bytes in registers stay a value of their own, and cost nothing where they are not
//! read.
//!
//! Invariant: `Guard::remove` leaves no trace of the marks in a module that no pass has touched: it
//! is the same as before.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};

use inkwell::llvm_sys::LLVMLinkage;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::{LLVMGetModuleDataLayout, LLVMTargetDataRef};
use inkwell::module::Module;

use super::super::llvm::kinds::{Opcode, opcode};
use rustc_hash::{FxHashMap, FxHashSet};

use super::initialized::{self, Copied};
use super::walk::{functions, instructions, is_fill, users};
use symex_program::UNWRITTEN;

/// Barrier function: a call of it stands before each place that must not be reached. LLVM knows
/// nothing about the function, so the call, and the way to it, stay. No symbol of a program can
/// have this name.
const BARRIER: &CStr = c"symex.guard.barrier";
/// Function whose call with the address of a variable keeps the variable in memory.
const KEEP: &CStr = c"symex.guard.keep";
const MARK: &[u8] = b"symex.guard";

/// Marks in one module.
pub struct Guard {
    module: LLVMModuleRef,
    context: LLVMContextRef,
    layout: LLVMTargetDataRef,
    mark: u32,
    /// Functions with loads that are volatile, by the program or by the guard.
    volatile: FxHashSet<LLVMValueRef>,
    /// Functions in which passes may reveal more places, and the number of their variables that are
    /// kept in memory.
    growing: FxHashMap<LLVMValueRef, usize>,
    /// Sizes of the variables that are initialised.
    unwritten: BTreeSet<u64>,
}

/// Marks placed in a function.
struct Placed {
    /// Number of variables kept in memory.
    kept: usize,
    /// Whether passes may reveal more places to mark.
    may_grow: bool,
}

impl Guard {
    /// Marks the code that the passes must not remove.
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
                volatile: FxHashSet::default(),
                growing: FxHashMap::default(),
                unwritten: BTreeSet::new(),
            }
        };
        for function in functions(module) {
            let placed = guard.place_in(function);
            if placed.may_grow {
                guard.growing.insert(function, placed.kept);
            }
        }
        guard
    }

    pub fn module(&self) -> LLVMModuleRef {
        self.module
    }

    /// Renews the marks of functions in which passes may have revealed more places.
    pub fn renew_growing(&mut self) {
        let mut growing = std::mem::take(&mut self.growing);
        for (function, kept) in &mut growing {
            *kept = self.renew(*function);
        }
        self.growing = growing;
    }

    /// Returns how many variables of a function stay in memory although passes might promote them,
    /// because their address is stored in another variable.
    pub fn kept(&self, function: LLVMValueRef) -> usize {
        self.growing.get(&function).copied().unwrap_or(0)
    }

    /// Marks a function anew, after passes; returns the number as in [`kept`](Self::kept).
    pub fn renew(&mut self, function: LLVMValueRef) -> usize {
        self.remove_from(function);
        self.place_in(function).kept
    }

    /// Marks a function that has no marks.
    fn place_in(&mut self, function: LLVMValueRef) -> Placed {
        drop_undefined_fills(function);
        let code = instructions(function);
        let doubts = initialized::doubts(function, self.layout);
        if self.mark_volatile(&code) || !doubts.loads.is_empty() {
            self.volatile.insert(function);
        }
        self.place_barriers_in(&code);
        if !doubts.loads.is_empty() {
            // Passes take what is undefined for the value that another store writes.
            let stores = code.iter().filter(|&&value| stores_undefined(value));
            stores.for_each(|&store| self.make_volatile(store));
        }
        for load in doubts.loads {
            self.make_volatile(load);
        }
        let kept = doubts.variables.len();
        for variable in doubts.variables {
            self.keep(variable);
        }
        for copied in doubts.copied {
            self.begin_unwritten(&copied);
        }
        Placed {
            kept,
            may_grow: doubts.may_grow,
        }
    }

    fn place_barriers_in(&self, code: &[LLVMValueRef]) {
        for &instruction in code {
            if self.is_forbidden(instruction) {
                self.insert_barrier(instruction);
            }
        }
    }

    /// Removes all marks.
    pub fn remove(self) {
        self.remove_unwritten();
        // Passes may have deleted functions.
        for function in functions(self.module) {
            if self.volatile.contains(&function) {
                self.remove_from(function);
            }
        }
        for mark in self.called() {
            // SAFETY: only calls use a mark, and nothing when they are gone.
            unsafe {
                for call in users(mark) {
                    LLVMInstructionEraseFromParent(call);
                }
                LLVMDeleteFunction(mark);
            }
        }
    }

    fn remove_from(&self, function: LLVMValueRef) {
        let called = self.called();
        // SAFETY: the list is collected before anything is deleted.
        unsafe {
            for instruction in instructions(function) {
                if is_access(instruction) {
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

    /// Returns the functions that this guard's calls call.
    fn called(&self) -> Vec<LLVMValueRef> {
        // SAFETY: the module is valid.
        let named =
            [BARRIER, KEEP].map(|name| unsafe { LLVMGetNamedFunction(self.module, name.as_ptr()) });
        named
            .into_iter()
            .filter(|function| !function.is_null())
            .collect()
    }

    /// Reports whether control must not reach the instruction, or whether it stores through poison.
    fn is_forbidden(&self, instruction: LLVMValueRef) -> bool {
        unsafe {
            match opcode(instruction) {
                Opcode::Unreachable => true,
                Opcode::Store => !LLVMIsAPoisonValue(LLVMGetOperand(instruction, 1)).is_null(),
                _ => false,
            }
        }
    }

    /// Lets the address of a variable escape, right behind the variable.
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

    /// Initialises a variable before its first write.
    fn begin_unwritten(&mut self, copied: &Copied) {
        self.unwritten.insert(copied.size);
        let name = unwritten_name(copied.size);
        // SAFETY: the variable and where it begins are instructions, and no terminators.
        unsafe {
            let mut contents = LLVMGetNamedGlobal(self.module, name.as_ptr());
            if contents.is_null() {
                let ty = LLVMArrayType2(LLVMInt8TypeInContext(self.context), copied.size);
                contents = LLVMAddGlobal(self.module, ty, name.as_ptr());
                // Others may see it, and it is no constant: LLVM cannot tell what is read.
                LLVMSetInitializer(contents, LLVMGetUndef(ty));
            }
            let length = LLVMConstInt(LLVMInt64TypeInContext(self.context), copied.size, 0);
            let builder = LLVMCreateBuilderInContext(self.context);
            let begins = match copied.begins.is_empty() {
                true => &[copied.variable][..],
                false => &copied.begins,
            };
            for &begin in begins {
                let next = LLVMGetNextInstruction(begin);
                if is_copy_of(next, contents) {
                    continue;
                }
                LLVMPositionBuilderBefore(builder, next);
                LLVMBuildMemCpy(builder, copied.variable, 1, contents, 1, length);
            }
            LLVMDisposeBuilder(builder);
        }
    }

    /// Removes the initialisation of variables that are still variables: they are uninitialised
    /// anyway. Where they became registers, these are read from a constant that is never written.
    fn remove_unwritten(&self) {
        for &size in &self.unwritten {
            // SAFETY: nothing uses the global when it is deleted.
            unsafe {
                let contents = LLVMGetNamedGlobal(self.module, unwritten_name(size).as_ptr());
                for user in users(contents) {
                    if is_copy_of(user, contents) {
                        LLVMInstructionEraseFromParent(user);
                    }
                }
                if LLVMGetFirstUse(contents).is_null() {
                    LLVMDeleteGlobal(contents);
                    continue;
                }
                LLVMSetGlobalConstant(contents, 1);
                LLVMSetLinkage(contents, LLVMLinkage::LLVMInternalLinkage);
            }
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

    /// Marks the accesses that are volatile in the program itself: passes copy such marks less
    /// reliably than volatility, so the ones made volatile here are those without mark. True if
    /// there are some.
    fn mark_volatile(&self, code: &[LLVMValueRef]) -> bool {
        let mut some = false;
        // SAFETY: the context is that of the module.
        unsafe {
            let node = LLVMMDNodeInContext2(self.context, std::ptr::null_mut(), 0);
            let node = LLVMMetadataAsValue(self.context, node);
            for &access in code.iter().filter(|&&value| is_access(value)) {
                if LLVMGetVolatile(access) != 0 {
                    LLVMSetMetadata(access, self.mark, node);
                    some = true;
                }
            }
        }
        some
    }

    fn make_volatile(&self, access: LLVMValueRef) {
        unsafe { LLVMSetVolatile(access, 1) }
    }
}

/// Reports whether an instruction is a load or a store.
fn is_access(instruction: LLVMValueRef) -> bool {
    // SAFETY: only asked of instructions.
    unsafe { matches!(opcode(instruction), Opcode::Load | Opcode::Store) }
}

/// Reports whether an instruction stores an undefined value.
fn stores_undefined(instruction: LLVMValueRef) -> bool {
    // SAFETY: a store's first operand is its value.
    unsafe {
        opcode(instruction) == Opcode::Store && LLVMIsUndef(LLVMGetOperand(instruction, 0)) != 0
    }
}

/// Drops the calls that fill a variable with an undefined byte: it has no value before it is
/// written. Passes would split them into stores of zero.
fn drop_undefined_fills(function: LLVMValueRef) {
    for instruction in instructions(function) {
        // SAFETY: a fill has a pointer and a byte.
        unsafe {
            let is_undefined = is_fill(instruction)
                && LLVMIsUndef(LLVMGetOperand(instruction, 1)) != 0
                && !LLVMIsAAllocaInst(LLVMGetOperand(instruction, 0)).is_null();
            if is_undefined {
                LLVMInstructionEraseFromParent(instruction);
            }
        }
    }
}

/// Returns the name of the global with the initial value of variables of `size` bytes.
fn unwritten_name(size: u64) -> CString {
    CString::new(format!("{UNWRITTEN}{size}")).expect("no zero byte")
}

/// Reports whether it is a copy of that global from its start.
fn is_copy_of(value: LLVMValueRef, global: LLVMValueRef) -> bool {
    // SAFETY: a copy has a source.
    unsafe { !LLVMIsAMemCpyInst(value).is_null() && LLVMGetOperand(value, 1) == global }
}
