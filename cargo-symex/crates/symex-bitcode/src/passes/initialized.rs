//! Definite initialisation analysis of local variables: finds reads that may be uninitialised, and
//! variables that may be written after their lifetime.
//!
//! A variable that is promoted to a register is no longer memory, and a read of it before its first
//! write can no longer be detected. So a forward data-flow analysis finds, byte by byte, what has
//! been written on every path to a read. Reads of other bytes are doubtful. Variables whose address
//! escapes to a call stay in memory in any case; but passes may give a read behind the end of their
//! lifetime the value that was written before it, so such a read is doubtful. A variable whose
//! address is stored in another variable does not escape: as soon as that one is promoted, reads
//! through it are reads of the first. Where all of it is written before its address is stored and
//! its lifetime never ends, no such read is doubtful.
//!
//! A copy of a variable may copy bytes that were never written: padding, or the bytes of an
//! `Option` that is `None`. The copy is not doubtful, but a read of the copy must still see that
//! they were never written.
//!
//! Invariant: errs on the side of doubt. Nothing is changed here.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::{LLVMABISizeOfType, LLVMStoreSizeOfType, LLVMTargetDataRef};

use super::super::llvm::kinds::{Opcode, opcode};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::LazyCell;

use super::checks::is_check_name;
use super::inside::{constant_offset, is_one};
use super::walk::{FlowGraph, InstructionPlace, block_code, blocks, called_name, is_load, users};

/// Size of the largest variable that is analysed, in bytes: all reads of larger ones are doubtful.
const FOLLOWED_BYTES: u64 = 127;

/// A set of bytes of a variable: one bit for each byte, and one more.
type ByteSet = u128;

/// Bit that tells whether the variable is alive.
const ALIVE: ByteSet = 1 << 127;

/// Effect of an instruction on one variable.
#[derive(Clone, Copy)]
enum VariableAccess {
    /// Writes these bytes.
    Write(ByteSet),
    /// Writes an undefined value.
    Forget,
    /// Begins the variable's lifetime.
    Begin,
    /// Ends the variable's lifetime.
    End,
    /// Uses the value of these bytes.
    Read(ByteSet),
    /// Copies these bytes elsewhere as they are.
    Copy(ByteSet),
}

/// Doubtful reads and variables of a function.
#[derive(Default)]
pub struct Doubts {
    /// Loads that may read bytes that were never written.
    pub loads: Vec<LLVMValueRef>,
    /// Variables whose address is stored before all of them is written, or whose lifetime ends: any
    /// read may be one of them.
    pub variables: Vec<LLVMValueRef>,
    /// Variables of which bytes that were never written may be copied.
    pub copied: Vec<Copied>,
    /// Whether the address of some variable is stored where passes may follow it, which reveals
    /// more reads of the variable.
    pub may_grow: bool,
}

/// A variable of which bytes that were never written may be copied.
pub struct Copied {
    pub variable: LLVMValueRef,
    /// Size in bytes.
    pub size: u64,
    /// Instructions that begin its lifetime; empty when it lives from the function's start.
    pub begins: Vec<LLVMValueRef>,
}

/// Uses of a variable.
struct Uses {
    accesses: FxHashMap<LLVMValueRef, VariableAccess>,
    loads: Vec<LLVMValueRef>,
    begins: Vec<LLVMValueRef>,
    /// Whether it is copied somewhere.
    copied: bool,
    /// Whether its address is stored somewhere.
    kept: bool,
    /// Whether its lifetime ends somewhere.
    ends: bool,
    /// Whether its address escapes to a call, so that no pass can promote it.
    escapes: bool,
    /// Whether some access could not be followed.
    unclear: bool,
}

/// Control flow of a function.
struct Ways {
    flow: FlowGraph,
    places: FxHashMap<LLVMValueRef, InstructionPlace>,
    predecessors: Vec<Vec<usize>>,
}

impl Ways {
    fn of(function: LLVMValueRef) -> Ways {
        let flow = FlowGraph::of(function);
        let mut predecessors = vec![Vec::new(); flow.successors.len()];
        for (block, next) in flow.successors.iter().enumerate() {
            next.iter().for_each(|&next| predecessors[next].push(block));
        }
        Ways {
            places: flow.places(),
            flow,
            predecessors,
        }
    }
}

/// Returns the local variables that may be read before they are written, and the reads.
pub fn doubts(function: LLVMValueRef, layout: LLVMTargetDataRef) -> Doubts {
    let mut doubtful = Doubts::default();
    let Some(&entry) = blocks(function).first() else {
        return doubtful;
    };
    // One function may have thousands of variables.
    let ways = LazyCell::new(|| Ways::of(function));
    for variable in block_code(entry) {
        if unsafe { LLVMIsAAllocaInst(variable) }.is_null() {
            continue;
        }
        let size = unsafe { LLVMABISizeOfType(layout, LLVMGetAllocatedType(variable)) };
        let uses = uses_of(variable, size, layout);
        if uses.escapes {
            if uses.ends && !uses.loads.is_empty() {
                let accesses = uses.as_to_lifetime();
                doubtful
                    .loads
                    .extend(wrong_accesses(&ways, &accesses).loads);
                doubtful.may_grow |= uses.kept;
            }
            continue;
        }
        if uses.loads.is_empty() && !uses.kept && !uses.ends && !uses.copied {
            continue;
        }
        doubtful.may_grow |= uses.kept;
        let one = is_one(variable);
        let copied = |uses: Uses| Copied {
            variable,
            size,
            begins: uses.begins,
        };
        if uses.unclear || size > FOLLOWED_BYTES || !one {
            doubtful.loads.extend(&uses.loads);
            // One of a size that is not known keeps its memory.
            if uses.kept {
                doubtful.variables.push(variable);
            } else if uses.copied && one {
                doubtful.copied.push(copied(uses));
            }
            continue;
        }
        let wrong = wrong_accesses(&ways, &uses.accesses);
        doubtful.loads.extend(wrong.loads);
        // After its end, too, it may be read by way of where its address is kept.
        if wrong.others || uses.kept && uses.ends {
            doubtful.variables.push(variable);
        } else if wrong.copies {
            doubtful.copied.push(copied(uses));
        }
    }
    doubtful
}

/// Returns the uses of a variable.
fn uses_of(variable: LLVMValueRef, size: u64, layout: LLVMTargetDataRef) -> Uses {
    let mut uses = Uses {
        accesses: FxHashMap::default(),
        loads: Vec::new(),
        begins: Vec::new(),
        copied: false,
        kept: false,
        ends: false,
        escapes: false,
        unclear: false,
    };
    let mut seen: FxHashSet<(LLVMValueRef, Option<u64>)> = FxHashSet::default();
    // A pointer into the variable, with its offset where that is known.
    let mut pointers = vec![(variable, Some(0u64))];
    while let Some((pointer, offset)) = pointers.pop() {
        if !seen.insert((pointer, offset)) {
            continue;
        }
        for user in users(pointer) {
            if unsafe { LLVMIsAInstruction(user) }.is_null() {
                uses.escapes = true;
                continue;
            }
            // SAFETY: operands are read as the opcode defines them.
            unsafe {
                match opcode(user) {
                    Opcode::Load => {
                        uses.loads.push(user);
                        match range(offset, LLVMStoreSizeOfType(layout, LLVMTypeOf(user)), size) {
                            Some(bytes) => uses.note(user, VariableAccess::Read(bytes)),
                            None => uses.unclear = true,
                        }
                    }
                    Opcode::Store => {
                        let value = LLVMGetOperand(user, 0);
                        if value == pointer {
                            uses.keep(user, size);
                            continue;
                        }
                        let width = LLVMStoreSizeOfType(layout, LLVMTypeOf(value));
                        match range(offset, width, size) {
                            // What is undefined does not become defined by being stored.
                            Some(_) if LLVMIsUndef(value) != 0 => {
                                uses.note(user, VariableAccess::Forget)
                            }
                            Some(bytes) => uses.note(user, VariableAccess::Write(bytes)),
                            None => uses.unclear = true,
                        }
                    }
                    Opcode::GetElementPtr => {
                        pointers.push((user, constant_offset(user, offset, layout)));
                    }
                    Opcode::PHI | Opcode::Select => {
                        uses.unclear = true;
                        pointers.push((user, None));
                    }
                    Opcode::Call => uses.call(user, pointer, offset, size),
                    Opcode::ICmp => {}
                    Opcode::Invoke => uses.escapes = true,
                    _ => uses.keep(user, size),
                }
            }
        }
    }
    uses
}

impl Uses {
    fn note(&mut self, instruction: LLVMValueRef, access: VariableAccess) {
        // Two accesses by one instruction (a copy inside the variable) cannot be told in order.
        if self.accesses.insert(instruction, access).is_some() {
            self.unclear = true;
        }
    }

    /// Records that the address is stored where it is not followed: as if all of the variable were
    /// read there.
    fn keep(&mut self, user: LLVMValueRef, size: u64) {
        self.kept = true;
        match range(Some(0), size, size) {
            Some(bytes) => self.note(user, VariableAccess::Read(bytes)),
            None => self.unclear = true,
        }
    }

    /// Returns begin, end and loads of the variable, all that matters being whether it is alive.
    fn as_to_lifetime(&self) -> FxHashMap<LLVMValueRef, VariableAccess> {
        let accesses = self.accesses.iter().map(|(at, access)| (*at, *access));
        let bounds = accesses
            .filter(|(_, access)| matches!(access, VariableAccess::Begin | VariableAccess::End));
        let loads = self
            .loads
            .iter()
            .map(|load| (*load, VariableAccess::Read(ALIVE)));
        bounds.chain(loads).collect()
    }

    /// Records a call with a pointer into the variable.
    unsafe fn call(
        &mut self,
        call: LLVMValueRef,
        pointer: LLVMValueRef,
        offset: Option<u64>,
        size: u64,
    ) {
        let name = called_name(call);
        if name.starts_with(b"llvm.lifetime.") {
            let ends = name.starts_with(b"llvm.lifetime.end");
            self.ends |= ends;
            if !ends {
                self.begins.push(call);
            }
            self.note(
                call,
                if ends {
                    VariableAccess::End
                } else {
                    VariableAccess::Begin
                },
            );
            return;
        }
        let says_nothing = name.starts_with(b"llvm.assume") || name.starts_with(b"llvm.dbg.");
        if says_nothing || is_check_name(name) {
            return;
        }
        if !name.starts_with(b"llvm.mem") {
            self.escapes = true;
            return;
        }
        let (target, length) = unsafe { (LLVMGetOperand(call, 0), LLVMGetOperand(call, 2)) };
        let is_copied = target != pointer;
        self.copied |= is_copied;
        let length = unsafe {
            if LLVMIsAConstantInt(length).is_null() {
                None
            } else {
                Some(LLVMConstIntGetZExtValue(length))
            }
        };
        match length.and_then(|length| range(offset, length, size)) {
            Some(bytes) if is_copied => self.note(call, VariableAccess::Copy(bytes)),
            Some(bytes) => self.note(call, VariableAccess::Write(bytes)),
            None => self.unclear = true,
        }
    }
}

/// Returns the bytes of an access; `None` when it is not known to lie inside the variable.
fn range(offset: Option<u64>, width: u64, size: u64) -> Option<ByteSet> {
    let offset = offset?;
    let end = offset.checked_add(width)?;
    if end > size || end > FOLLOWED_BYTES {
        return None;
    }
    let below = |bit: u64| (1 << bit) - 1;
    Some(below(end) & !below(offset))
}

/// Accesses that some path reaches before all their bytes are written, or after the variable's
/// lifetime.
#[derive(Default)]
struct Wrong {
    /// Loads of bytes that may not be written.
    loads: Vec<LLVMValueRef>,
    /// Whether there are copies of such bytes.
    copies: bool,
    /// Whether the address is stored while bytes may not be written, or the variable is written or
    /// copied after its lifetime.
    others: bool,
}

/// Returns the accesses to a variable that go wrong on some path.
///
/// Only the blocks between where the variable begins and its accesses matter, and only those are
/// visited: a function may have thousands of variables and of blocks.
fn wrong_accesses(ways: &Ways, accesses: &FxHashMap<LLVMValueRef, VariableAccess>) -> Wrong {
    let mut placed: Vec<(InstructionPlace, LLVMValueRef, VariableAccess)> = accesses
        .iter()
        .filter_map(|(&instruction, &access)| {
            Some((*ways.places.get(&instruction)?, instruction, access))
        })
        .collect();
    placed.sort_unstable_by_key(|(place, ..)| *place);
    let in_blocks = || placed.chunk_by(|a, b| a.0.block == b.0.block);
    let code: FxHashMap<usize, &[(InstructionPlace, LLVMValueRef, VariableAccess)]> = in_blocks()
        .map(|accesses| (accesses[0].0.block as usize, accesses))
        .collect();
    let begins = |accesses: &[(InstructionPlace, LLVMValueRef, VariableAccess)]| {
        matches!(accesses.first(), Some((.., VariableAccess::Begin)))
    };
    // The blocks at whose start it matters what is written.
    let mut wanted: FxHashSet<usize> = FxHashSet::default();
    let concerned = in_blocks().filter(|accesses| !begins(accesses));
    let mut work: Vec<usize> = concerned
        .map(|accesses| accesses[0].0.block as usize)
        .collect();
    while let Some(block) = work.pop() {
        if wanted.insert(block) {
            let before = ways.predecessors[block].iter().copied();
            work.extend(before.filter(|block| !code.contains_key(block)));
        }
    }
    let step = |written: ByteSet, access: VariableAccess| match access {
        VariableAccess::Write(bytes) => written | bytes,
        VariableAccess::Forget => written & ALIVE,
        VariableAccess::Begin => ALIVE,
        VariableAccess::End => 0,
        VariableAccess::Read(_) | VariableAccess::Copy(_) => written,
    };
    // Written on every way to the start of the block; nothing for a block not reached yet.
    let mut before: FxHashMap<usize, ByteSet> = FxHashMap::from_iter([(0, ALIVE)]);
    work.push(0);
    work.extend(
        code.iter()
            .filter(|(_, code)| begins(code))
            .map(|(b, _)| *b),
    );
    while let Some(block) = work.pop() {
        let start = before.get(&block).copied().unwrap_or(ByteSet::MAX);
        let accesses = code.get(&block).copied().unwrap_or_default();
        let after = accesses
            .iter()
            .fold(start, |written, &(.., access)| step(written, access));
        for next in &ways.flow.successors[block] {
            if !wanted.contains(next) {
                continue;
            }
            let known = before.get(next).copied();
            let joined = known.unwrap_or(ByteSet::MAX) & after;
            if known != Some(joined) {
                before.insert(*next, joined);
                work.push(*next);
            }
        }
    }
    let mut wrong = Wrong::default();
    for accesses in in_blocks() {
        let block = accesses[0].0.block as usize;
        let mut written = before.get(&block).copied().unwrap_or(ByteSet::MAX);
        for &(_, instruction, access) in accesses {
            let ended = written & ALIVE == 0;
            match access {
                VariableAccess::Read(bytes) if bytes & !written == 0 => {}
                VariableAccess::Read(_) if is_load(instruction) => wrong.loads.push(instruction),
                VariableAccess::Read(_) => wrong.others = true,
                VariableAccess::Copy(_) | VariableAccess::Write(_) if ended => wrong.others = true,
                VariableAccess::Copy(bytes) => wrong.copies |= bytes & !written != 0,
                VariableAccess::Write(_)
                | VariableAccess::Forget
                | VariableAccess::Begin
                | VariableAccess::End => {}
            }
            written = step(written, access);
        }
    }
    wrong
}
