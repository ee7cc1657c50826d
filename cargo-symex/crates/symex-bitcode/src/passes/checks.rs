//! Checks of accesses that may fail, which survive the passes.
//!
//! Passes delete a read whose value is unused, a division likewise, a write that another one makes
//! useless, and the copy of a structure of which only a field is needed. All of them may be bugs.
//! So before the passes, each such operation gets a check in front of it: a call that passes must
//! neither delete nor move, and that has no memory effects, so that it does not hinder other
//! optimisations. Afterwards a check is removed where the operation still follows it or where an
//! equal check has been made before. The others stay: the engine performs them.
//!
//! An access to a known offset inside a variable cannot fail and has no check: a variable with
//! checks is not promoted to registers.

use std::ffi::CStr;

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::{LLVMGetModuleDataLayout, LLVMStoreSizeOfType, LLVMTargetDataRef};
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use inkwell::module::Module;

use super::super::ll::metadata_kind;
use super::super::llvm::kinds::{Opcode, opcode};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::{SmallVec, smallvec};

use super::folding::is_of_constant;
use super::inside::{Span, is_inside};
use super::walk::{
    FlowGraph, all_functions, block_code, called_name, functions, instructions, is_load, name_of,
    users,
};

/// Function `symex_check_read(pointer, bytes, alignment, number)`, which checks that the bytes can
/// be read. The number is unique to each check, as passes would merge two equal calls even if
/// memory is freed between them.
const READ: &CStr = c"symex_check_read";
/// Function `symex_check_write(pointer, bytes, alignment, number)`, which checks that the bytes can
/// be written.
const WRITE: &CStr = c"symex_check_write";
/// Function `symex_check_value(pointer, bytes, alignment, number)`, which checks that the bytes can
/// be read and are initialised.
const VALUE: &CStr = c"symex_check_value";
/// Prefix of the names of the checks of divisions, where opcode and type follow, and of claims.
pub const PREFIX: &str = "symex.check.";

/// Divisions, with their names in a check's name.
const DIVISIONS: [(Opcode, &str); 4] = [
    (Opcode::UDiv, "udiv"),
    (Opcode::SDiv, "sdiv"),
    (Opcode::URem, "urem"),
    (Opcode::SRem, "srem"),
];

/// Number of address computations through which a pointer is followed to its use.
const MOST_STEPS: u32 = 2;

/// Subject of a check; checks of equal subjects check the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum CheckSubject {
    /// Bytes from a pointer on.
    Read(LLVMValueRef),
    Write(LLVMValueRef),
    /// Index of the opcode in [`DIVISIONS`], and both operands.
    Division(usize, LLVMValueRef, LLVMValueRef),
}

impl CheckSubject {
    /// Reports whether it is an access through this pointer.
    fn is_of(self, value: LLVMValueRef) -> bool {
        matches!(self, CheckSubject::Read(pointer) | CheckSubject::Write(pointer) if pointer == value)
    }
}

/// Extent of an access: bytes, alignment, and what is demanded of them; nothing for a division.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct AccessExtent {
    length: AccessLength,
    align: u64,
    /// Whether what is read must be initialised.
    defined: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AccessLength {
    Known(u64),
    Value(LLVMValueRef),
}

impl AccessExtent {
    const NOTHING: AccessExtent = AccessExtent {
        length: AccessLength::Known(0),
        align: 0,
        defined: false,
    };

    /// Reports whether passing the check of this extent implies passing that of the other.
    fn covers(self, other: AccessExtent) -> bool {
        let length = match (self.length, other.length) {
            (AccessLength::Known(ours), AccessLength::Known(theirs)) => ours >= theirs,
            (ours, theirs) => ours == theirs,
        };
        length && self.align >= other.align && self.defined >= other.defined
    }
}

/// A check, or an operation that needs one.
#[derive(Clone, Copy, Debug)]
struct Check {
    subject: CheckSubject,
    extent: AccessExtent,
}

/// Checks in one module.
pub struct Checks {
    module: LLVMModuleRef,
    context: LLVMContextRef,
    layout: LLVMTargetDataRef,
    /// Functions that are called as checks. Passes delete those that nothing calls.
    hooks: FxHashMap<LLVMValueRef, Hook>,
    builder: LLVMBuilderRef,
    /// Kind of the metadata of a load that reads what is initialised.
    no_undef: u32,
    /// Number of checks of accesses so far.
    count: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Hook {
    Read,
    Write,
    Value,
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
                no_undef: metadata_kind(context, "noundef"),
                count: 0,
            }
        }
    }

    /// Places the checks of divisions in a function's code, before functions are inlined: if an
    /// operand becomes a constant then, the division is folded at once.
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
                let is_needed = is_load(instruction)
                    && !is_read_of_constant(instruction)
                    && self.is_needed(instruction, MOST_STEPS);
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

    /// Reports whether the value is needed in the same block by something that no pass deletes: a
    /// call, a return, or the check of an access through it.
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

    /// Returns all checks in the module, with their calls.
    fn placed(&mut self) -> Vec<(LLVMValueRef, Check)> {
        self.hooks = hooks_of(self.module);
        let calls = self.hooks.keys().flat_map(|&hook| users(hook));
        calls
            .filter_map(|call| Some((call, self.check(call)?)))
            .collect()
    }

    /// Removes the checks that now plainly pass. Without them, passes can do more: only a variable
    /// without checks can be promoted to a register.
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

    /// Removes the checks that have been made before on every path.
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
        enum BlockStep {
            Enter(usize, u32),
            /// Removes the checks of a block from the available ones.
            Leave(Vec<(CheckSubject, Option<(AccessExtent, u32)>)>),
        }
        // Checks made, each with the period it was made in: memory may be freed at the end of one.
        let mut made: FxHashMap<CheckSubject, (AccessExtent, u32)> = FxHashMap::default();
        let mut periods = 0;
        let flow = FlowGraph::of(function);
        let (next, roots) = flow.only_ways();
        for root in roots {
            periods += 1;
            let mut work = vec![BlockStep::Enter(root, periods)];
            while let Some(step) = work.pop() {
                let (block, mut period) = match step {
                    BlockStep::Enter(block, period) => (block, period),
                    BlockStep::Leave(before) => {
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
                    let is_division = matches!(check.subject, CheckSubject::Division(..));
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
                work.push(BlockStep::Leave(before));
                for &next in &next[block] {
                    work.push(BlockStep::Enter(next, period));
                }
            }
        }
    }

    /// Removes the checks that the operation itself follows, and turns those of divisions into
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
                } else if let CheckSubject::Division(which, left, right) = check.subject {
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

    /// Reports whether the checked operation comes next, behind operations that cannot fail.
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
                let writes = matches!(wanted.subject, CheckSubject::Write(_));
                return !writes || place(next) == place(check);
            }
            let may_fail = accesses.iter().any(|&access| !self.is_settled(access));
            if may_fail || may_fail_otherwise(next) {
                return false;
            }
        }
    }

    /// Replaces a check by its division.
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

    /// Returns the check that a call is, if it is one.
    fn check(&self, instruction: LLVMValueRef) -> Option<Check> {
        // SAFETY: the operands of a call to a hook are those that `insert` gives it.
        unsafe {
            if LLVMIsACallInst(instruction).is_null() {
                return None;
            }
            let hook = *self.hooks.get(&LLVMGetCalledValue(instruction))?;
            let [first, second] = [0, 1].map(|n| LLVMGetOperand(instruction, n));
            let subject = match hook {
                Hook::Read | Hook::Value => CheckSubject::Read(first),
                Hook::Write => CheckSubject::Write(first),
                Hook::Division(which) => {
                    return Some(Check {
                        subject: CheckSubject::Division(which, first, second),
                        extent: AccessExtent::NOTHING,
                    });
                }
            };
            let align = LLVMConstIntGetZExtValue(LLVMGetOperand(instruction, 2));
            let extent = AccessExtent {
                length: length(second),
                align,
                defined: hook == Hook::Value,
            };
            Some(Check { subject, extent })
        }
    }

    /// Returns the accesses of an instruction that passes may delete.
    fn accesses(&self, instruction: LLVMValueRef) -> SmallVec<[Check; 2]> {
        // SAFETY: operands are read as the opcode defines them.
        unsafe {
            let access = |ty: LLVMTypeRef| AccessExtent {
                length: AccessLength::Known(LLVMStoreSizeOfType(self.layout, ty)),
                align: u64::from(LLVMGetAlignment(instruction)),
                defined: !LLVMGetMetadata(instruction, self.no_undef).is_null(),
            };
            match opcode(instruction) {
                Opcode::Load => smallvec![Check {
                    subject: CheckSubject::Read(LLVMGetOperand(instruction, 0)),
                    extent: access(LLVMTypeOf(instruction)),
                }],
                Opcode::Store => smallvec![Check {
                    subject: CheckSubject::Write(LLVMGetOperand(instruction, 1)),
                    extent: access(LLVMTypeOf(LLVMGetOperand(instruction, 0))),
                }],
                Opcode::Call => {
                    let name = called_name(instruction);
                    let copies =
                        name.starts_with(b"llvm.memcpy.") || name.starts_with(b"llvm.memmove.");
                    if !copies && !name.starts_with(b"llvm.memset.") {
                        return SmallVec::new();
                    }
                    let extent = AccessExtent {
                        length: length(LLVMGetOperand(instruction, 2)),
                        align: 1,
                        defined: false,
                    };
                    let target = CheckSubject::Write(LLVMGetOperand(instruction, 0));
                    let source = copies.then(|| CheckSubject::Read(LLVMGetOperand(instruction, 1)));
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

    /// Reports whether a check plainly passes.
    fn is_settled(&self, check: Check) -> bool {
        let (pointer, writes) = match check.subject {
            CheckSubject::Read(pointer) => (pointer, false),
            CheckSubject::Write(pointer) => (pointer, true),
            CheckSubject::Division(_, _, divisor) => return !may_fail(divisor),
        };
        match check.extent.length {
            AccessLength::Known(0) => true,
            AccessLength::Known(length) => {
                let span = Span {
                    length,
                    align: check.extent.align,
                    writes,
                };
                is_inside(pointer, span, self.layout)
            }
            AccessLength::Value(_) => false,
        }
    }

    fn number(&self) -> LLVMTypeRef {
        // SAFETY: the context is that of the module.
        unsafe { LLVMInt64TypeInContext(self.context) }
    }

    /// Inserts a check before an instruction.
    fn insert(&mut self, before: LLVMValueRef, check: Check) {
        // SAFETY: the types are those of the hook.
        unsafe {
            // With the instruction's own debug location.
            LLVMPositionBuilderBefore(self.builder, before);
            let number = self.number();
            let void = LLVMVoidTypeInContext(self.context);
            let (hook, mut arguments) = match check.subject {
                CheckSubject::Division(which, left, right) => {
                    (Hook::Division(which), vec![left, right])
                }
                CheckSubject::Read(pointer) | CheckSubject::Write(pointer) => {
                    let length = match check.extent.length {
                        AccessLength::Known(length) => LLVMConstInt(number, length, 0),
                        AccessLength::Value(length) => length,
                    };
                    let align = LLVMConstInt(number, check.extent.align, 0);
                    let hook = match check.subject {
                        CheckSubject::Write(_) => Hook::Write,
                        _ if check.extent.defined => Hook::Value,
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

    /// Returns the function that is called as a check. It has no memory effects but may not return:
    /// passes keep calls of it in place, and optimise across them.
    unsafe fn hook(&mut self, hook: Hook, ty: LLVMTypeRef, operand: LLVMTypeRef) -> LLVMValueRef {
        // SAFETY: the module is valid; names end with zero.
        unsafe {
            let name = match hook {
                Hook::Read => READ.to_owned(),
                Hook::Write => WRITE.to_owned(),
                Hook::Value => VALUE.to_owned(),
                Hook::Division(which) => {
                    let text = LLVMPrintTypeToString(operand);
                    let name = format!(
                        "{PREFIX}{}.{}",
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

/// Reports whether a function of this name only checks. It has no effect on the variables whose
/// addresses it gets.
pub fn is_check_name(name: &[u8]) -> bool {
    [READ, WRITE, VALUE].map(CStr::to_bytes).contains(&name) || name.starts_with(PREFIX.as_bytes())
}

/// Returns the check functions of a module, by their names.
fn hooks_of(module: LLVMModuleRef) -> FxHashMap<LLVMValueRef, Hook> {
    all_functions(module)
        .into_iter()
        .filter_map(|function| {
            let name = name_of(function);
            let hook = if name == READ.to_bytes() {
                Hook::Read
            } else if name == WRITE.to_bytes() {
                Hook::Write
            } else if name == VALUE.to_bytes() {
                Hook::Value
            } else {
                let opcode = name.strip_prefix(PREFIX.as_bytes())?;
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

fn length(value: LLVMValueRef) -> AccessLength {
    // SAFETY: only a constant integer is asked for its value.
    unsafe {
        match LLVMIsAConstantInt(value).is_null() {
            false => AccessLength::Known(LLVMConstIntGetZExtValue(value)),
            true => AccessLength::Value(value),
        }
    }
}

/// Returns the check of a division.
fn division(instruction: LLVMValueRef) -> Option<Check> {
    // SAFETY: a division has two operands.
    unsafe {
        let opcode = opcode(instruction);
        let which = DIVISIONS
            .iter()
            .position(|&(division, _)| division == opcode)?;
        let [left, right] = [0, 1].map(|n| LLVMGetOperand(instruction, n));
        Some(Check {
            subject: CheckSubject::Division(which, left, right),
            extent: AccessExtent::NOTHING,
        })
    }
}

/// Reports whether a division by this may fail. By a constant other than 0 and -1 it cannot.
fn may_fail(divisor: LLVMValueRef) -> bool {
    // SAFETY: only small constants are asked for their value.
    unsafe {
        if LLVMIsAConstantInt(divisor).is_null() || LLVMGetIntTypeWidth(LLVMTypeOf(divisor)) > 64 {
            return true;
        }
        matches!(LLVMConstIntGetSExtValue(divisor), 0 | -1)
    }
}

/// Reports whether a load reads a constant: passes compute what it reads, or that it reads nothing.
fn is_read_of_constant(load: LLVMValueRef) -> bool {
    // SAFETY: a load has a pointer.
    is_of_constant(unsafe { LLVMGetOperand(load, 0) })
}

fn is_intrinsic(call: LLVMValueRef) -> bool {
    // SAFETY: only asked of calls.
    unsafe { !LLVMIsAIntrinsicInst(call).is_null() }
}

/// Reports whether an instruction may free memory.
pub(super) fn may_free(instruction: LLVMValueRef) -> bool {
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

/// Reports whether an instruction may fail or end the path, accesses apart.
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

pub(super) fn function_of(instruction: LLVMValueRef) -> LLVMValueRef {
    // SAFETY: it stands in a block of a function.
    unsafe { LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)) }
}

pub(super) fn erase(instruction: LLVMValueRef) {
    // SAFETY: neither a check nor a fill has a value that anything could use.
    unsafe { LLVMInstructionEraseFromParent(instruction) }
}
