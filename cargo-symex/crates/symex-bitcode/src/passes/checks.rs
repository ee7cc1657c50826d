//! Keeps accesses that may fail, whatever the passes make of their values.
//!
//! Passes delete a read as soon as nothing comes of its value, a division likewise, a write that
//! another one makes useless, and the copy of a structure of which only a field is needed. All of
//! them may be bugs. So before the passes, each such operation gets a check in front of it: a call
//! that passes must neither delete nor move, and that says nothing about memory, so that it does
//! not keep them from anything else. Afterwards a check goes where the operation still follows it
//! or where an equal check has been made before. The others stay: the engine performs what they
//! check.
//!
//! An access to a known place inside a variable cannot fail and has no check: a variable with
//! checks is not given registers.

use std::ffi::CStr;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::{LLVMGetModuleDataLayout, LLVMStoreSizeOfType, LLVMTargetDataRef};
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use inkwell::module::Module;

use super::super::llvm::kinds::{Opcode, opcode};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::inside::{Span, is_inside};
use super::walk::{
    Flow, all_functions, block_code, called_name, functions, instructions, is_load, name_of, users,
};

/// `symex_check_read(pointer, bytes, alignment, number)` checks that the bytes can be read. The
/// number is another for each check, as passes would make one of two equal calls even if memory is
/// freed between them.
const READ: &CStr = c"symex_check_read";
/// `symex_check_write(pointer, bytes, alignment, number)` checks that the bytes can be written.
const WRITE: &CStr = c"symex_check_write";
/// The start of the names of the checks of divisions; opcode and type follow.
const DIVIDE: &str = "symex.check.";

/// The divisions, and what they are called in a check's name.
const DIVISIONS: [(Opcode, &str); 4] = [
    (Opcode::UDiv, "udiv"),
    (Opcode::SDiv, "sdiv"),
    (Opcode::URem, "urem"),
    (Opcode::SRem, "srem"),
];

/// Number of computations of addresses through which a pointer is followed to where it is needed.
const MOST_STEPS: u32 = 2;

/// What a check is about; two equal ones check the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Subject {
    /// Bytes from a pointer on.
    Read(LLVMValueRef),
    Write(LLVMValueRef),
    /// The opcode's place in [`DIVISIONS`], and both operands.
    Division(usize, LLVMValueRef, LLVMValueRef),
}

impl Subject {
    /// Is it an access by way of this pointer?
    fn is_of(self, value: LLVMValueRef) -> bool {
        matches!(self, Subject::Read(pointer) | Subject::Write(pointer) if pointer == value)
    }
}

/// What is asked of the subject: bytes and alignment, nothing for a division.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Extent {
    length: Length,
    align: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Length {
    Known(u64),
    Value(LLVMValueRef),
}

impl Extent {
    const NOTHING: Extent = Extent {
        length: Length::Known(0),
        align: 0,
    };

    /// Is whatever passes the check of this one sure to pass that of the other?
    fn covers(self, other: Extent) -> bool {
        let length = match (self.length, other.length) {
            (Length::Known(ours), Length::Known(theirs)) => ours >= theirs,
            (ours, theirs) => ours == theirs,
        };
        length && self.align >= other.align
    }
}

/// A check, or an operation that needs one.
#[derive(Clone, Copy, Debug)]
struct Check {
    subject: Subject,
    extent: Extent,
}

/// The checks in one module.
pub struct Checks {
    module: LLVMModuleRef,
    context: LLVMContextRef,
    layout: LLVMTargetDataRef,
    /// The functions that are called as checks. Passes delete those that nothing calls.
    hooks: FxHashMap<LLVMValueRef, Hook>,
    builder: LLVMBuilderRef,
    /// Checks of accesses, so far.
    count: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Hook {
    Read,
    Write,
    Division(usize),
}

impl Checks {
    pub fn of(module: &Module<'_>) -> Checks {
        let module = module.as_mut_ptr();
        // SAFETY: the module is valid and outlives the checks' use in `run`.
        unsafe {
            let context = LLVMGetModuleContext(module);
            Checks {
                module,
                context,
                layout: LLVMGetModuleDataLayout(module),
                hooks: FxHashMap::default(),
                builder: LLVMCreateBuilderInContext(context),
                count: 0,
            }
        }
    }

    /// Places the checks of divisions in a function's code. They come before functions are inlined:
    /// where an operand becomes a constant then, the division is folded at once.
    pub fn place_divisions(&mut self, code: &[LLVMValueRef]) {
        for &instruction in code {
            if let Some(division) = division(instruction)
                && !self.is_settled(division)
            {
                self.insert(instruction, division);
            }
        }
    }

    /// Places the checks of accesses.
    pub fn place_accesses(&mut self) {
        for function in functions(self.module) {
            for instruction in instructions(function) {
                let is_needed = is_load(instruction) && self.is_needed(instruction, MOST_STEPS);
                if is_needed {
                    continue;
                }
                for check in self.accesses(instruction) {
                    if !self.is_settled(check) {
                        self.insert(instruction, check);
                    }
                }
            }
        }
    }

    /// Is the value needed in the same block by something that no pass deletes? That is a call, a
    /// return, or the check of an access to where it points.
    fn is_needed(&self, value: LLVMValueRef, steps: u32) -> bool {
        // SAFETY: a value here is an instruction's, and so are its users.
        let block = |instruction| unsafe { LLVMGetInstructionParent(instruction) };
        users(value).into_iter().any(|user| {
            if block(user) != block(value) {
                return false;
            }
            // SAFETY: operands are read as the opcode defines them.
            let (opcode, first) = unsafe { (opcode(user), LLVMGetOperand(user, 0)) };
            match opcode {
                Opcode::Ret => true,
                Opcode::Call | Opcode::Invoke => !is_intrinsic(user),
                Opcode::Load | Opcode::Store => (self.accesses(user).into_iter())
                    .any(|access| access.subject.is_of(value) && !self.is_settled(access)),
                Opcode::GetElementPtr => {
                    first == value && steps > 0 && self.is_needed(user, steps - 1)
                }
                _ => false,
            }
        })
    }

    /// All checks that stand in the module, with their calls.
    fn placed(&mut self) -> Vec<(LLVMValueRef, Check)> {
        self.hooks = hooks_of(self.module);
        let calls = self.hooks.keys().flat_map(|&hook| users(hook));
        calls
            .filter_map(|call| Some((call, self.check(call)?)))
            .collect()
    }

    /// Drops the checks that say what is plain to see by now. Where they went, passes can do more:
    /// a variable can be given a register only without checks.
    pub fn settle(&mut self) -> FxHashSet<LLVMValueRef> {
        let mut concerned = FxHashSet::default();
        for (call, check) in self.placed() {
            if self.is_settled(check) {
                concerned.insert(function_of(call));
                erase(call);
            }
        }
        concerned
    }

    /// Settles the checks of one function; true if a check was removed.
    pub fn settle_in(&self, function: LLVMValueRef) -> bool {
        let mut settled = false;
        for instruction in instructions(function) {
            if let Some(check) = self.check(instruction)
                && self.is_settled(check)
            {
                erase(instruction);
                settled = true;
            }
        }
        settled
    }

    /// Drops the checks that have been made before on every way.
    ///
    /// The way to a block is only followed back as long as there is one way: that is as far as
    /// LLVM's own elimination of equal loads (EarlyCSE) goes, so whatever it leaves needs no check
    /// of its own.
    pub fn drop_repeated(&mut self) {
        let mut seen = FxHashSet::default();
        let mut concerned = FxHashSet::default();
        for (call, check) in self.placed() {
            let function = function_of(call);
            if !seen.insert((function, check.subject)) {
                concerned.insert(function);
            }
        }
        for function in concerned {
            self.drop_repeated_in(function);
        }
    }

    fn drop_repeated_in(&self, function: LLVMValueRef) {
        enum Step {
            Enter(usize, u32),
            /// Takes the checks of a block back.
            Leave(Vec<(Subject, Option<(Extent, u32)>)>),
        }
        // Checks made, each with the period it was made in: memory may be freed at the end of one.
        let mut made: FxHashMap<Subject, (Extent, u32)> = FxHashMap::default();
        let mut periods = 0;
        let flow = Flow::of(function);
        let (next, roots) = flow.only_ways();
        for root in roots {
            periods += 1;
            let mut work = vec![Step::Enter(root, periods)];
            while let Some(step) = work.pop() {
                let (block, mut period) = match step {
                    Step::Enter(block, period) => (block, period),
                    Step::Leave(before) => {
                        for (subject, before) in before.into_iter().rev() {
                            match before {
                                Some(before) => made.insert(subject, before),
                                None => made.remove(&subject),
                            };
                        }
                        continue;
                    }
                };
                let mut before = Vec::new();
                for instruction in block_code(flow.blocks[block]) {
                    let Some(check) = self.check(instruction) else {
                        if may_free(instruction) {
                            periods += 1;
                            period = periods;
                        }
                        continue;
                    };
                    let last = made.get(&check.subject).copied();
                    let is_division = matches!(check.subject, Subject::Division(..));
                    let is_repeated = last.is_some_and(|(extent, when)| {
                        (is_division || when == period) && extent.covers(check.extent)
                    });
                    if is_repeated {
                        erase(instruction);
                    } else {
                        before.push((check.subject, last));
                        made.insert(check.subject, (check.extent, period));
                    }
                }
                work.push(Step::Leave(before));
                for &next in &next[block] {
                    work.push(Step::Enter(next, period));
                }
            }
        }
    }

    /// Drops the checks that the operation itself follows, and turns those of divisions into
    /// divisions.
    pub fn finish(mut self) {
        let blocks: FxHashSet<LLVMBasicBlockRef> = (self.placed().into_iter())
            // SAFETY: a call stands in a block.
            .map(|(call, _)| unsafe { LLVMGetInstructionParent(call) })
            .collect();
        for block in blocks {
            // Backwards, as a check that stays keeps those before it, too: the first of two
            // failures is the one reported.
            for call in block_code(block).into_iter().rev() {
                let Some(check) = self.check(call) else {
                    continue;
                };
                if self.is_followed(call, check) {
                    erase(call);
                } else if let Subject::Division(which, left, right) = check.subject {
                    self.divide(call, which, left, right);
                } else {
                    // What else the program has decides its number, and code is known again by what
                    // it is. SAFETY: the number is an integer of 64 bits.
                    unsafe { LLVMSetOperand(call, 3, LLVMConstInt(self.number(), 0, 0)) };
                }
            }
        }
        // SAFETY: the builder is not used any more, and a function that nothing uses can be
        // deleted.
        unsafe {
            LLVMDisposeBuilder(self.builder);
            for (hook, _) in self.hooks {
                if LLVMGetFirstUse(hook).is_null() {
                    LLVMDeleteFunction(hook);
                }
            }
        }
    }

    /// Does the operation that is checked come next, among what cannot fail?
    fn is_followed(&self, check: LLVMValueRef, wanted: Check) -> bool {
        let mut next = check;
        loop {
            // SAFETY: walks up to the block's terminator.
            next = unsafe { LLVMGetNextInstruction(next) };
            if next.is_null() {
                return false;
            }
            let same = |found: Check| {
                found.subject == wanted.subject && found.extent.covers(wanted.extent)
            };
            if division(next).is_some_and(same) {
                return true;
            }
            let accesses = self.accesses(next);
            if accesses.iter().copied().any(same) {
                // Of two writes to one place the first goes, and only the check knows where that
                // was.
                let writes = matches!(wanted.subject, Subject::Write(_));
                return !writes || place(next) == place(check);
            }
            let may_fail = accesses.iter().any(|&access| !self.is_settled(access));
            if may_fail || may_fail_otherwise(next) {
                return false;
            }
        }
    }

    /// Puts a division in the place of its check.
    fn divide(&self, check: LLVMValueRef, which: usize, left: LLVMValueRef, right: LLVMValueRef) {
        // SAFETY: the operands have the same type, as they are those of a division.
        unsafe {
            let builder = self.builder;
            LLVMPositionBuilderBefore(builder, check);
            // Constants would be folded, to poison for a division by zero.
            let opaque = LLVMBuildFreeze(builder, LLVMGetUndef(LLVMTypeOf(left)), c"".as_ptr());
            let build = match DIVISIONS[which].0 {
                Opcode::UDiv => LLVMBuildUDiv,
                Opcode::SDiv => LLVMBuildSDiv,
                Opcode::URem => LLVMBuildURem,
                _ => LLVMBuildSRem,
            };
            let division = build(builder, opaque, opaque, c"".as_ptr());
            LLVMSetOperand(division, 0, left);
            LLVMSetOperand(division, 1, right);
            LLVMInstructionEraseFromParent(opaque);
        }
        erase(check);
    }

    /// What a call checks, if it is one of the checks.
    fn check(&self, instruction: LLVMValueRef) -> Option<Check> {
        // SAFETY: the operands of a call to a hook are those that `insert` gives it.
        unsafe {
            if LLVMIsACallInst(instruction).is_null() {
                return None;
            }
            let hook = *self.hooks.get(&LLVMGetCalledValue(instruction))?;
            let [first, second] = [0, 1].map(|n| LLVMGetOperand(instruction, n));
            let subject = match hook {
                Hook::Read => Subject::Read(first),
                Hook::Write => Subject::Write(first),
                Hook::Division(which) => {
                    return Some(Check {
                        subject: Subject::Division(which, first, second),
                        extent: Extent::NOTHING,
                    });
                }
            };
            let align = LLVMConstIntGetZExtValue(LLVMGetOperand(instruction, 2));
            let extent = Extent {
                length: length(second),
                align,
            };
            Some(Check { subject, extent })
        }
    }

    /// The accesses of an instruction that passes may delete.
    fn accesses(&self, instruction: LLVMValueRef) -> SmallVec<[Check; 2]> {
        // SAFETY: operands are read as the opcode defines them.
        unsafe {
            let access = |ty: LLVMTypeRef| Extent {
                length: Length::Known(LLVMStoreSizeOfType(self.layout, ty)),
                align: u64::from(LLVMGetAlignment(instruction)),
            };
            match opcode(instruction) {
                Opcode::Load => smallvec![Check {
                    subject: Subject::Read(LLVMGetOperand(instruction, 0)),
                    extent: access(LLVMTypeOf(instruction)),
                }],
                Opcode::Store => smallvec![Check {
                    subject: Subject::Write(LLVMGetOperand(instruction, 1)),
                    extent: access(LLVMTypeOf(LLVMGetOperand(instruction, 0))),
                }],
                Opcode::Call => {
                    let name = called_name(instruction);
                    let copies =
                        name.starts_with(b"llvm.memcpy.") || name.starts_with(b"llvm.memmove.");
                    if !copies && !name.starts_with(b"llvm.memset.") {
                        return SmallVec::new();
                    }
                    let extent = Extent {
                        length: length(LLVMGetOperand(instruction, 2)),
                        align: 1,
                    };
                    let target = Subject::Write(LLVMGetOperand(instruction, 0));
                    let source = copies.then(|| Subject::Read(LLVMGetOperand(instruction, 1)));
                    source
                        .into_iter()
                        .chain([target])
                        .map(|subject| Check { subject, extent })
                        .collect()
                }
                _ => SmallVec::new(),
            }
        }
    }

    /// Is it plain to see that a check is passed?
    fn is_settled(&self, check: Check) -> bool {
        let (pointer, writes) = match check.subject {
            Subject::Read(pointer) => (pointer, false),
            Subject::Write(pointer) => (pointer, true),
            Subject::Division(_, _, divisor) => return !may_fail(divisor),
        };
        match check.extent.length {
            Length::Known(0) => true,
            Length::Known(length) => {
                let span = Span {
                    length,
                    align: check.extent.align,
                    writes,
                };
                is_inside(pointer, span, self.layout)
            }
            Length::Value(_) => false,
        }
    }

    fn number(&self) -> LLVMTypeRef {
        // SAFETY: the context is that of the module.
        unsafe { LLVMInt64TypeInContext(self.context) }
    }

    /// Puts a check before an instruction.
    fn insert(&mut self, before: LLVMValueRef, check: Check) {
        // SAFETY: the types are those of the hook.
        unsafe {
            // With the instruction's own debug location.
            LLVMPositionBuilderBefore(self.builder, before);
            let number = self.number();
            let void = LLVMVoidTypeInContext(self.context);
            let (hook, mut arguments) = match check.subject {
                Subject::Division(which, left, right) => (Hook::Division(which), vec![left, right]),
                Subject::Read(pointer) | Subject::Write(pointer) => {
                    let length = match check.extent.length {
                        Length::Known(length) => LLVMConstInt(number, length, 0),
                        Length::Value(length) => length,
                    };
                    let align = LLVMConstInt(number, check.extent.align, 0);
                    let hook = match check.subject {
                        Subject::Write(_) => Hook::Write,
                        _ => Hook::Read,
                    };
                    self.count += 1;
                    let count = LLVMConstInt(number, self.count, 0);
                    (hook, vec![pointer, length, align, count])
                }
            };
            let mut types: Vec<LLVMTypeRef> = arguments.iter().map(|&a| LLVMTypeOf(a)).collect();
            let count = arguments.len() as u32;
            let ty = LLVMFunctionType(void, types.as_mut_ptr(), count, 0);
            let function = self.hook(hook, ty, types[0]);
            LLVMBuildCall2(
                self.builder,
                ty,
                function,
                arguments.as_mut_ptr(),
                count,
                c"".as_ptr(),
            );
        }
    }

    /// The function that is called as a check, which knows no memory but may not return: passes
    /// keep calls of it where they are, and look through them.
    unsafe fn hook(&mut self, hook: Hook, ty: LLVMTypeRef, operand: LLVMTypeRef) -> LLVMValueRef {
        // SAFETY: the module is valid; names end with zero.
        unsafe {
            let name = match hook {
                Hook::Read => READ.to_owned(),
                Hook::Write => WRITE.to_owned(),
                Hook::Division(which) => {
                    let text = LLVMPrintTypeToString(operand);
                    let name = format!(
                        "{DIVIDE}{}.{}",
                        DIVISIONS[which].1,
                        CStr::from_ptr(text).to_string_lossy()
                    );
                    LLVMDisposeMessage(text);
                    std::ffi::CString::new(name).expect("no type's text has a zero")
                }
            };
            let mut function = LLVMGetNamedFunction(self.module, name.as_ptr());
            if function.is_null() {
                function = LLVMAddFunction(self.module, name.as_ptr(), ty);
                const FUNCTION: LLVMAttributeIndex = LLVMAttributeFunctionIndex;
                for (attribute, value) in [("nounwind", 0), ("memory", 0)] {
                    let kind =
                        LLVMGetEnumAttributeKindForName(attribute.as_ptr().cast(), attribute.len());
                    let attribute = LLVMCreateEnumAttribute(self.context, kind, value);
                    LLVMAddAttributeAtIndex(function, FUNCTION, attribute);
                }
            }
            self.hooks.insert(function, hook);
            function
        }
    }
}

/// Does an instruction only check? Nothing happens to the variables whose address it is given.
pub fn is_check_name(name: &[u8]) -> bool {
    name == READ.to_bytes() || name == WRITE.to_bytes() || name.starts_with(DIVIDE.as_bytes())
}

/// The checks that a module has, by their names.
fn hooks_of(module: LLVMModuleRef) -> FxHashMap<LLVMValueRef, Hook> {
    all_functions(module)
        .into_iter()
        .filter_map(|function| {
            let name = name_of(function);
            let hook = if name == READ.to_bytes() {
                Hook::Read
            } else if name == WRITE.to_bytes() {
                Hook::Write
            } else {
                let opcode = name.strip_prefix(DIVIDE.as_bytes())?;
                Hook::Division(
                    DIVISIONS
                        .iter()
                        .position(|(_, word)| opcode.starts_with(word.as_bytes()))?,
                )
            };
            Some((function, hook))
        })
        .collect()
}

fn length(value: LLVMValueRef) -> Length {
    // SAFETY: only a constant integer is asked for its value.
    unsafe {
        match LLVMIsAConstantInt(value).is_null() {
            false => Length::Known(LLVMConstIntGetZExtValue(value)),
            true => Length::Value(value),
        }
    }
}

/// The check of a division.
fn division(instruction: LLVMValueRef) -> Option<Check> {
    // SAFETY: a division has two operands.
    unsafe {
        let opcode = opcode(instruction);
        let which = DIVISIONS
            .iter()
            .position(|&(division, _)| division == opcode)?;
        let [left, right] = [0, 1].map(|n| LLVMGetOperand(instruction, n));
        Some(Check {
            subject: Subject::Division(which, left, right),
            extent: Extent::NOTHING,
        })
    }
}

/// May a division by this fail? By a constant other than 0 and -1 it does not.
fn may_fail(divisor: LLVMValueRef) -> bool {
    // SAFETY: only small constants are asked for their value.
    unsafe {
        if LLVMIsAConstantInt(divisor).is_null() || LLVMGetIntTypeWidth(LLVMTypeOf(divisor)) > 64 {
            return true;
        }
        matches!(LLVMConstIntGetSExtValue(divisor), 0 | -1)
    }
}

fn is_intrinsic(call: LLVMValueRef) -> bool {
    // SAFETY: only asked of calls.
    unsafe { !LLVMIsAIntrinsicInst(call).is_null() }
}

/// May memory be freed by it?
fn may_free(instruction: LLVMValueRef) -> bool {
    // SAFETY: only asked of instructions.
    unsafe {
        match opcode(instruction) {
            Opcode::Call if !is_intrinsic(instruction) => !is_check_name(called_name(instruction)),
            Opcode::Call => {
                let name = called_name(instruction);
                name.starts_with(b"llvm.lifetime.end") || name.starts_with(b"llvm.stackrestore")
            }
            Opcode::Invoke | Opcode::CallBr | Opcode::Fence => true,
            _ => false,
        }
    }
}

/// May an instruction fail or end the path, accesses apart?
fn may_fail_otherwise(instruction: LLVMValueRef) -> bool {
    // SAFETY: only asked of instructions.
    unsafe {
        if !LLVMIsATerminatorInst(instruction).is_null() {
            return true;
        }
        match opcode(instruction) {
            Opcode::Call => {
                let name = called_name(instruction);
                let harmless: [&[u8]; 4] = [
                    b"llvm.dbg.",
                    b"llvm.lifetime.start",
                    b"llvm.experimental.noalias",
                    b"llvm.mem",
                ];
                !harmless.iter().any(|start| name.starts_with(start))
            }
            Opcode::AtomicRMW | Opcode::AtomicCmpXchg | Opcode::Fence => true,
            _ => division(instruction).is_some() && may_fail(LLVMGetOperand(instruction, 1)),
        }
    }
}

fn place(instruction: LLVMValueRef) -> LLVMMetadataRef {
    // SAFETY: only asked of instructions.
    unsafe { LLVMInstructionGetDebugLoc(instruction) }
}

fn function_of(instruction: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: it stands in a block of a function.
    unsafe { LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)) }
}

fn erase(instruction: LLVMValueRef) {
    // SAFETY: a check has no value that anything could use.
    unsafe { LLVMInstructionEraseFromParent(instruction) }
}
