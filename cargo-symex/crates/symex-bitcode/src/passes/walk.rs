//! Walks over LLVM's lists of functions, blocks, instructions and users.
//!
//! Each list is collected before it is visited, so that its items may be changed.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use rustc_hash::FxHashMap;

use super::super::llvm::kinds::{Opcode, opcode};

/// Returns all functions of a module, including those without a body.
pub fn all_functions(module: LLVMModuleRef) -> Vec<LLVMValueRef> {
    // SAFETY: the list of functions ends with null.
    unsafe { list(LLVMGetFirstFunction(module), |f| LLVMGetNextFunction(f)) }
}

/// Returns the functions of a module that have a body.
pub fn functions(module: LLVMModuleRef) -> Vec<LLVMValueRef> {
    let mut all = all_functions(module);
    // SAFETY: they are functions.
    all.retain(|&function| unsafe { LLVMIsDeclaration(function) == 0 });
    all
}

/// Returns the blocks of a function; the first is its entry.
pub fn blocks(function: LLVMValueRef) -> Vec<LLVMBasicBlockRef> {
    // SAFETY: the list of blocks ends with null.
    unsafe {
        list(LLVMGetFirstBasicBlock(function), |b| {
            LLVMGetNextBasicBlock(b)
        })
    }
}

/// Returns the instructions of a block.
pub fn block_code(block: LLVMBasicBlockRef) -> Vec<LLVMValueRef> {
    // SAFETY: the list of instructions ends with null.
    unsafe {
        list(LLVMGetFirstInstruction(block), |i| {
            LLVMGetNextInstruction(i)
        })
    }
}

/// Returns the instructions of a function, block by block.
pub fn instructions(function: LLVMValueRef) -> Vec<LLVMValueRef> {
    blocks(function).into_iter().flat_map(block_code).collect()
}

/// Returns the users of a value, in LLVM's order.
pub fn users(value: LLVMValueRef) -> Vec<LLVMValueRef> {
    // SAFETY: the list of uses ends with null.
    unsafe {
        list(LLVMGetFirstUse(value), |u| LLVMGetNextUse(u))
            .into_iter()
            .map(|u| LLVMGetUser(u))
            .collect()
    }
}

fn list<T>(first: *mut T, next: impl Fn(*mut T) -> *mut T) -> Vec<*mut T> {
    let some = |at: *mut T| (!at.is_null()).then_some(at);
    std::iter::successors(some(first), |&at| some(next(at))).collect()
}

pub fn is_load(instruction: LLVMValueRef) -> bool {
    // SAFETY: only asked of instructions.
    unsafe { opcode(instruction) == Opcode::Load }
}

/// Reports whether it is a call or an invoke.
pub fn is_call(instruction: LLVMValueRef) -> bool {
    // SAFETY: asks any value what it is.
    unsafe { !LLVMIsACallInst(instruction).is_null() || !LLVMIsAInvokeInst(instruction).is_null() }
}

/// Reports whether it is a call that fills memory, of `(pointer, byte, length, whether volatile)`.
pub fn is_fill(instruction: LLVMValueRef) -> bool {
    // SAFETY: only asked of instructions.
    let is_call = unsafe { opcode(instruction) == Opcode::Call };
    is_call && called_name(instruction).starts_with(b"llvm.memset.")
}

/// Returns the name of a call's callee; empty for a call through a pointer.
pub fn called_name<'m>(call: LLVMValueRef) -> &'m [u8] {
    // SAFETY: only asked of calls.
    let callee = unsafe { LLVMIsAFunction(LLVMGetCalledValue(call)) };
    match callee.is_null() {
        true => &[],
        false => name_of(callee),
    }
}

/// Returns the name of a function, valid only as long as the function exists.
pub fn name_of<'m>(function: LLVMValueRef) -> &'m [u8] {
    // SAFETY: a name has `length` bytes and lives as long as what it is of.
    unsafe {
        let mut length = 0;
        let name = LLVMGetValueName2(function, &mut length);
        std::slice::from_raw_parts(name.cast::<u8>(), length)
    }
}

/// Control flow graph of a function; blocks are numbered, the entry is the first.
pub struct FlowGraph {
    pub blocks: Vec<LLVMBasicBlockRef>,
    /// Successors of each block by edge, so a switch may name a block several times.
    pub successors: Vec<Vec<usize>>,
}

/// Position of an instruction: its block's number, and how many are before it in the block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct InstructionPlace {
    pub block: u32,
    pub position: u32,
}

impl FlowGraph {
    pub fn of(function: LLVMValueRef) -> FlowGraph {
        let blocks = blocks(function);
        let number: FxHashMap<LLVMBasicBlockRef, usize> = blocks
            .iter()
            .enumerate()
            .map(|(i, &block)| (block, i))
            .collect();
        let successors = blocks
            .iter()
            .map(|&block| successors(block, &number))
            .collect();
        FlowGraph { blocks, successors }
    }

    /// Returns the position of each instruction.
    pub fn places(&self) -> FxHashMap<LLVMValueRef, InstructionPlace> {
        let mut places = FxHashMap::default();
        for (block, &code) in (0u32..).zip(&self.blocks) {
            let code = (0u32..).zip(block_code(code));
            places
                .extend(code.map(|(position, code)| (code, InstructionPlace { block, position })));
        }
        places
    }

    /// Returns the blocks with a single predecessor, by that block; and all other blocks.
    pub fn only_ways(&self) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut entries = vec![0u32; self.blocks.len()];
        for &next in self.successors.iter().flatten() {
            entries[next] += 1;
        }
        let is_only = |block: usize| block != 0 && entries[block] == 1;
        let only = |next: &Vec<usize>| next.iter().copied().filter(|&n| is_only(n)).collect();
        let roots = (0..self.blocks.len()).filter(|&n| !is_only(n)).collect();
        (self.successors.iter().map(only).collect(), roots)
    }
}

fn successors(block: LLVMBasicBlockRef, index: &FxHashMap<LLVMBasicBlockRef, usize>) -> Vec<usize> {
    // SAFETY: a well-formed block has a terminator.
    unsafe {
        let terminator = LLVMGetBasicBlockTerminator(block);
        (0..LLVMGetNumSuccessors(terminator))
            .filter_map(|number| index.get(&LLVMGetSuccessor(terminator, number)).copied())
            .collect()
    }
}
