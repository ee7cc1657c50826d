//! Checks for what the front end claims of values, placed before any pass relies on it.
//!
//! rustc says on loads, arguments, results and operations what can only be otherwise if the program
//! is wrong: the values that a type has (`!range`, `range`), that a reference is not null, is
//! aligned and leads to so many bytes (`nonnull`, `align`, `dereferenceable`), that a value is
//! initialised (`noundef`), and that arithmetic does not overflow (`nuw`, `nsw`, `exact`,
//! `inbounds`). LLVM takes all of it for granted. Here each claim that is not plain from the code
//! becomes a call of a hook, which passes must neither delete nor move, and which the translation
//! turns into an instruction.
//!
//! A claim is checked where it begins to hold: at a load, before a call with the argument, before a
//! return, before the operation. So a parameter needs no check, as its callers have made it.
//! Initialised integers are no call: `Inst::Load` says it, so that loads of them cost nothing.
//!
//! Only code that has not been optimised before is looked at: passes move operations to where their
//! result is not used, which is allowed for what is poison then, and would be reported here. That
//! leaves out the precompiled standard library and programs given as bitcode.

mod attributes;
mod facts;
mod hooks;

use inkwell::llvm_sys::LLVMGEPFlagNUW;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMStoreSizeOfType, LLVMTargetDataRef,
};
use inkwell::module::Module;
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::llvm::kinds::{Opcode, TypeKind, constant_opcode, opcode, type_kind};
use super::super::llvm::language::is_rust;
use super::checks::{erase, function_of, is_check_name, may_free};
use super::inside::{Span, is_inside};
use super::walk::{block_code, called_name, functions, instructions, name_of, users};
pub(crate) use attributes::Attributes;
use attributes::{AttributePosition, Reference};
use facts::ValueFacts;
use hooks::{ClaimCheck, Hooks};
pub use hooks::{DemandWord, HookKind};

/// Part of the name of the function that reports a place that is not aligned.
const MISALIGNED: &[u8] = b"panic_misaligned_pointer_dereference";

/// Parts of the names of the standard library's checks, and of the functions that make a slice.
const PRECONDITION: &[u8] = b"precondition_check";
const RAW_SLICE: &[u8] = b"from_raw_parts";

/// Number of steps through which a value is followed to where it comes from.
const MOST_STEPS: u32 = 4;

/// Checks of claims in one module.
pub struct Claims {
    module: LLVMModuleRef,
    layout: LLVMTargetDataRef,
    attributes: Attributes,
    hooks: Hooks,
    /// Variables of the function that is looked at, each with whether something may be stored in it
    /// that is uninitialised.
    doubtful: FxHashMap<LLVMValueRef, bool>,
}

impl Claims {
    pub fn of(module: &Module<'_>) -> Claims {
        let module = module.as_mut_ptr();
        // SAFETY: the module is valid and outlives the claims' use in `run`.
        unsafe {
            Claims {
                module,
                layout: LLVMGetModuleDataLayout(module),
                attributes: Attributes::of(module),
                hooks: Hooks::of(module),
                doubtful: FxHashMap::default(),
            }
        }
    }

    /// Places the checks of a function's code.
    pub fn place(&mut self, function: LLVMValueRef, code: &[LLVMValueRef]) {
        if !attributes::is_fresh(function) {
            return;
        }
        self.doubtful.clear();
        for &instruction in code {
            // SAFETY: operands are read as the opcode defines them.
            unsafe {
                match opcode(instruction) {
                    Opcode::Load => self.load(instruction),
                    Opcode::Call | Opcode::Invoke => self.call(instruction),
                    Opcode::Ret if LLVMGetNumOperands(instruction) == 1 => {
                        let value = LLVMGetOperand(instruction, 0);
                        self.passed(instruction, value, AttributePosition::Result(function));
                    }
                    Opcode::GetElementPtr => self.element_pointer(instruction),
                    _ => self.operation(instruction),
                }
            }
        }
    }

    /// Places the checks of a load, by its metadata, if another value is undefined behaviour at
    /// once and not only poison.
    unsafe fn load(&mut self, load: LLVMValueRef) {
        // SAFETY: only loads are asked.
        unsafe {
            if !self.attributes.is_load_defined(load) {
                return;
            }
            if self.loses_claim(load) {
                self.hooks.after(load, ClaimCheck::Defined(load));
            }
            if let Some(range) = self.attributes.range_of_load(load) {
                self.hooks.after(load, ClaimCheck::Range(load, range));
            }
            if let Some(reference) = self.attributes.reference_of_load(load) {
                self.hooks
                    .after(load, ClaimCheck::Reference(load, reference));
            }
        }
    }

    /// Places the checks of variables' values that are read for nothing, by accesses that plainly
    /// pass: passes delete such a read, which has no other check.
    pub fn place_unused(&self) {
        for function in functions(self.module) {
            for load in instructions(function) {
                // SAFETY: only loads are asked.
                let is_unused = facts::is_load_of_variable(load)
                    && unsafe { LLVMGetFirstUse(load).is_null() }
                    && unsafe { self.attributes.is_load_defined(load) };
                if is_unused && self.is_inside(load) {
                    self.hooks.after(load, ClaimCheck::Defined(load));
                }
            }
        }
    }

    /// Reports whether a load plainly reads a variable's bytes, aligned as it must be.
    fn is_inside(&self, load: LLVMValueRef) -> bool {
        // SAFETY: a load has a pointer, and its type a size.
        unsafe {
            let span = Span {
                length: LLVMStoreSizeOfType(self.layout, LLVMTypeOf(load)),
                align: u64::from(LLVMGetAlignment(load)),
                writes: false,
            };
            is_inside(LLVMGetOperand(load, 0), span, self.layout)
        }
    }

    /// Reports whether a load may become a register of which nothing is claimed: what is stored in
    /// its variable may be uninitialised.
    unsafe fn loses_claim(&mut self, load: LLVMValueRef) -> bool {
        // SAFETY: a load has a pointer, whose users are read as their opcodes define them.
        unsafe {
            let variable = LLVMGetOperand(load, 0);
            if LLVMIsAAllocaInst(variable).is_null() {
                return false;
            }
            if let Some(&known) = self.doubtful.get(&variable) {
                return known;
            }
            let facts = self.facts();
            let is_doubtful = users(variable).into_iter().any(|user| {
                opcode(user) == Opcode::Store
                    && LLVMGetOperand(user, 1) == variable
                    && !facts.is_defined(LLVMGetOperand(user, 0), MOST_STEPS)
            });
            self.doubtful.insert(variable, is_doubtful);
            is_doubtful
        }
    }

    /// Places the checks of a call: of its arguments, and of the result of what is not Rust.
    unsafe fn call(&mut self, call: LLVMValueRef) {
        // SAFETY: only calls are asked; an intrinsic's operands are as it defines them.
        unsafe {
            let callee = LLVMIsAFunction(LLVMGetCalledValue(call));
            if !callee.is_null() && LLVMGetIntrinsicID(callee) != 0 {
                self.intrinsic(call);
                return;
            }
            let name = called_name(call);
            if is_check_name(name) {
                return;
            }
            if contains(name, MISALIGNED) {
                self.misaligned_place(call);
            } else if contains(name, PRECONDITION)
                && contains(name_of(function_of(call)), RAW_SLICE)
            {
                self.raw_slice(call);
            }
            for number in 0..LLVMGetNumArgOperands(call) {
                let value = LLVMGetOperand(call, number);
                self.passed(call, value, AttributePosition::Argument(call, number));
            }
            let is_checked = !callee.is_null() && is_rust(callee);
            if !is_checked && opcode(call) == Opcode::Call {
                let position = AttributePosition::ResultOf(call);
                if let Some(range) = self.attributes.range(position) {
                    self.hooks.after(call, ClaimCheck::Range(call, range));
                }
                if let Some(reference) = self.attributes.reference(position, call) {
                    self.hooks
                        .after(call, ClaimCheck::Reference(call, reference));
                }
            }
        }
    }

    /// Places the checks of a value that is handed over where something is claimed of it.
    fn passed(&mut self, before: LLVMValueRef, value: LLVMValueRef, position: AttributePosition) {
        if !self.attributes.is_defined(position) {
            return;
        }
        if let Some(range) = self.attributes.range(position) {
            self.unless_plain(before, ClaimCheck::Range(value, range));
        }
        if let Some(reference) = self.attributes.reference(position, value) {
            self.unless_plain(before, ClaimCheck::Reference(value, reference));
        }
        self.unless_plain(before, ClaimCheck::Defined(value));
    }

    /// Places the check of arithmetic on pointers, which stays in one object.
    unsafe fn element_pointer(&mut self, pointer: LLVMValueRef) {
        // SAFETY: only address computations are asked.
        unsafe {
            let is_one = type_kind(LLVMTypeOf(pointer)) == TypeKind::Pointer;
            if LLVMIsInBounds(pointer) == 0 || !is_one {
                return;
            }
            let base = LLVMGetOperand(pointer, 0);
            let check = ClaimCheck::InBounds(base, pointer);
            if !self.is_plain(check) {
                self.hooks.after(pointer, check);
            }
            self.indices(pointer);
        }
    }

    /// Places the checks of the indices of such arithmetic: of bytes that are more than an object
    /// can have, some are lost, and the place may be in the object by chance.
    unsafe fn indices(&mut self, pointer: LLVMValueRef) {
        // SAFETY: only address computations are asked.
        unsafe {
            let is_unsigned = LLVMGEPGetNoWrapFlags(pointer) & LLVMGEPFlagNUW != 0;
            let mut ty = LLVMGetGEPSourceElementType(pointer);
            for number in 1..LLVMGetNumOperands(pointer) as u32 {
                let index = LLVMGetOperand(pointer, number);
                if number > 1 {
                    ty = match type_kind(ty) {
                        TypeKind::Struct => return,
                        _ => LLVMGetElementType(ty),
                    };
                }
                let size = LLVMABISizeOfType(self.layout, ty);
                let is_known = LLVMIsConstant(index) != 0;
                let is_word = type_kind(LLVMTypeOf(index)) == TypeKind::Integer
                    && LLVMGetIntTypeWidth(LLVMTypeOf(index)) == 64;
                if size == 0 || is_known || !is_word || size == 1 && !is_unsigned {
                    continue;
                }
                if facts::is_below_a_length(LLVMGetInstructionParent(pointer), index) {
                    continue;
                }
                let word = match is_unsigned {
                    true => DemandWord::Index,
                    false => DemandWord::SignedIndex,
                };
                let most = self.hooks.number(i64::MAX as u64 / size);
                self.unless_plain(pointer, ClaimCheck::Demand(word, [Some(index), Some(most)]));
            }
        }
    }

    /// Places the check of the number of elements of a copy, and reports whether a product is their
    /// bytes. rustc computes them at the place of the copy, some versions without a word about
    /// overflow.
    unsafe fn copied_bytes(&mut self, product: LLVMValueRef) -> bool {
        // SAFETY: operands are read as the opcode defines them.
        unsafe {
            let place = LLVMInstructionGetDebugLoc(product);
            let is_length = |user: LLVMValueRef| {
                let moves: [&[u8]; 3] = [b"llvm.memcpy.", b"llvm.memmove.", b"llvm.memset."];
                opcode(user) == Opcode::Call
                    && moves.iter().any(|name| called_name(user).starts_with(name))
                    && LLVMGetOperand(user, 2) == product
                    && LLVMInstructionGetDebugLoc(user) == place
            };
            if place.is_null() || !users(product).into_iter().any(is_length) {
                return false;
            }
            let [left, right] = [0, 1].map(|side| LLVMGetOperand(product, side));
            let (size, count) = match LLVMIsAConstantInt(left).is_null() {
                false => (left, right),
                true => (right, left),
            };
            let is_known =
                !LLVMIsAConstantInt(size).is_null() && LLVMConstIntGetZExtValue(size) > 1;
            if is_known {
                let most = i64::MAX as u64 / LLVMConstIntGetZExtValue(size);
                let most = Some(self.hooks.number(most));
                let check = ClaimCheck::Demand(DemandWord::CopyCount, [Some(count), most]);
                self.unless_plain(product, check);
            }
            is_known
        }
    }

    /// Places the checks of an operation, by its flags.
    unsafe fn operation(&mut self, instruction: LLVMValueRef) {
        // SAFETY: flags are asked for of the opcodes that have them.
        unsafe {
            let opcode = opcode(instruction);
            match opcode {
                Opcode::Mul if self.copied_bytes(instruction) => {}
                Opcode::Add | Opcode::Sub | Opcode::Mul | Opcode::Shl => {
                    self.wrapping(instruction, opcode);
                }
                Opcode::UDiv | Opcode::SDiv | Opcode::LShr | Opcode::AShr
                    if LLVMGetExact(instruction) != 0 =>
                {
                    self.pointer_difference(LLVMGetOperand(instruction, 0));
                    let word = match opcode {
                        Opcode::UDiv => DemandWord::ExactUnsigned,
                        Opcode::SDiv => DemandWord::ExactSigned,
                        _ => DemandWord::ExactShift,
                    };
                    self.demand(instruction, word, 2);
                }
                Opcode::Or if LLVMGetIsDisjoint(instruction) != 0 => {
                    self.demand(instruction, DemandWord::Disjoint, 2);
                }
                Opcode::FPToUI | Opcode::FPToSI => {
                    let word = match opcode {
                        Opcode::FPToUI => DemandWord::ToUnsigned,
                        _ => DemandWord::ToSigned,
                    };
                    self.conversion(instruction, word);
                }
                Opcode::FAdd | Opcode::FSub | Opcode::FMul | Opcode::FDiv | Opcode::FRem => {
                    self.fast_math(instruction);
                }
                _ => {}
            }
            if matches!(opcode, Opcode::Shl | Opcode::LShr | Opcode::AShr) {
                self.demand(instruction, DemandWord::Distance, 2);
            }
        }
    }

    /// Places the checks of arithmetic that does not wrap around, by its flags.
    unsafe fn wrapping(&mut self, instruction: LLVMValueRef, opcode: Opcode) {
        // SAFETY: as above.
        unsafe {
            let (unsigned, signed) = match opcode {
                Opcode::Add => (DemandWord::AddUnsigned, DemandWord::AddSigned),
                Opcode::Sub => (DemandWord::SubUnsigned, DemandWord::SubSigned),
                Opcode::Mul => (DemandWord::MulUnsigned, DemandWord::MulSigned),
                _ => (DemandWord::ShlUnsigned, DemandWord::ShlSigned),
            };
            if LLVMGetNUW(instruction) != 0 {
                if opcode == Opcode::Sub {
                    self.pointer_difference(instruction);
                }
                self.demand(instruction, unsigned, 2);
            }
            if LLVMGetNSW(instruction) != 0 {
                self.demand(instruction, signed, 2);
            }
        }
    }

    /// Places the check of a conversion to an integer type that has the number.
    unsafe fn conversion(&mut self, instruction: LLVMValueRef, word: DemandWord) {
        // SAFETY: a conversion has one operand, and its result is an integer or a vector of them.
        unsafe {
            let mut ty = LLVMTypeOf(instruction);
            if type_kind(ty) == TypeKind::Vector {
                ty = LLVMGetElementType(ty);
            }
            let width = self.hooks.number(u64::from(LLVMGetIntTypeWidth(ty)));
            let check =
                ClaimCheck::Demand(word, [Some(LLVMGetOperand(instruction, 0)), Some(width)]);
            self.unless_plain(instruction, check);
        }
    }

    /// Places the checks of operands and a result that are finite, by flags.
    unsafe fn fast_math(&mut self, instruction: LLVMValueRef) {
        /// LLVM's flags for "no NaN" and "no infinity".
        const FINITE: u32 = 1 << 1 | 1 << 2;
        // SAFETY: arithmetic of floats has these flags.
        unsafe {
            if LLVMGetFastMathFlags(instruction) & FINITE != FINITE {
                return;
            }
            self.demand(instruction, DemandWord::Finite, 2);
            let result = ClaimCheck::Demand(DemandWord::Finite, [Some(instruction), None]);
            self.hooks.after(instruction, result);
        }
    }

    /// Places the check of two pointers, of which the distance is computed: they are in one object.
    unsafe fn pointer_difference(&mut self, difference: LLVMValueRef) {
        // SAFETY: a subtraction and a conversion have these operands.
        unsafe {
            if LLVMIsAInstruction(difference).is_null() || opcode(difference) != Opcode::Sub {
                return;
            }
            let pointer = |side| {
                let number = LLVMGetOperand(difference, side);
                let is_instruction = !LLVMIsAInstruction(number).is_null();
                (is_instruction && opcode(number) == Opcode::PtrToInt)
                    .then(|| LLVMGetOperand(number, 0))
            };
            if let (Some(to), Some(from)) = (pointer(0), pointer(1)) {
                self.hooks
                    .before(difference, ClaimCheck::InBounds(from, to));
            }
        }
    }

    /// Replaces the front end's own check that a place is aligned, which leads to this call. It
    /// looks at the address, which can be a multiple by chance.
    unsafe fn misaligned_place(&mut self, panic: LLVMValueRef) {
        // SAFETY: operands are read as the opcode defines them.
        unsafe {
            let block = LLVMGetInstructionParent(panic);
            let [branch] = users(LLVMBasicBlockAsValue(block))[..] else {
                return;
            };
            let (align, address) = (LLVMGetOperand(panic, 0), LLVMGetOperand(panic, 1));
            let computed = if !LLVMIsAConstantExpr(address).is_null() {
                constant_opcode(address)
            } else if !LLVMIsAInstruction(address).is_null() {
                opcode(address)
            } else {
                return;
            };
            if opcode(branch) != Opcode::Br
                || LLVMIsConditional(branch) == 0
                || LLVMIsAConstantInt(align).is_null()
                || computed != Opcode::PtrToInt
            {
                return;
            }
            let claim = Reference::aligned(LLVMConstIntGetZExtValue(align));
            self.unless_plain(
                branch,
                ClaimCheck::Reference(LLVMGetOperand(address, 0), claim),
            );
            let passes = LLVMGetSuccessor(branch, 0) != block;
            let bit = LLVMTypeOf(LLVMGetCondition(branch));
            LLVMSetCondition(branch, LLVMConstInt(bit, u64::from(passes), 0));
        }
    }

    /// Places the check of a slice that is made of a pointer and a length, behind the standard
    /// library's own check `(pointer, size of an element, alignment, length)`. No attribute says
    /// how many bytes are behind a slice.
    unsafe fn raw_slice(&mut self, precondition: LLVMValueRef) {
        // SAFETY: operands are read as far as there are any.
        unsafe {
            let count = LLVMGetNumArgOperands(precondition);
            if opcode(precondition) != Opcode::Call || count < 4 {
                return;
            }
            let [pointer, size, _, length] =
                [0, 1, 2, 3].map(|number| LLVMGetOperand(precondition, number));
            let is_known = type_kind(LLVMTypeOf(pointer)) == TypeKind::Pointer
                && !LLVMIsAConstantInt(size).is_null()
                && type_kind(LLVMTypeOf(length)) == TypeKind::Integer;
            if is_known {
                let size = LLVMConstIntGetZExtValue(size);
                self.hooks
                    .after(precondition, ClaimCheck::Slice(pointer, length, size));
            }
        }
    }

    /// Places the checks that the pointers of a copy are aligned.
    unsafe fn copied(&mut self, call: LLVMValueRef, pointers: u32) {
        for number in 0..pointers {
            let position = AttributePosition::Argument(call, number);
            // SAFETY: the call has this argument.
            let pointer = unsafe { LLVMGetOperand(call, number) };
            if let Some(align) = self.attributes.align(position) {
                let claim = Reference::aligned(align);
                self.unless_plain(call, ClaimCheck::Reference(pointer, claim));
            }
        }
    }

    unsafe fn intrinsic(&mut self, call: LLVMValueRef) {
        // SAFETY: operands are read as the intrinsic defines them.
        unsafe {
            let name = called_name(call);
            let is_set = |operand| {
                let flag = LLVMGetOperand(call, operand);
                !LLVMIsAConstantInt(flag).is_null() && LLVMConstIntGetZExtValue(flag) == 1
            };
            let counts = name.starts_with(b"llvm.ctlz.") || name.starts_with(b"llvm.cttz.");
            if name.starts_with(b"llvm.memcpy.") || name.starts_with(b"llvm.memmove.") {
                self.copied(call, 2);
            } else if name.starts_with(b"llvm.memset.") {
                self.copied(call, 1);
            } else if counts && is_set(1) {
                self.demand(call, DemandWord::NonZero, 1);
            } else if name.starts_with(b"llvm.abs.") && is_set(1) {
                self.demand(call, DemandWord::NotSmallest, 1);
            } else if name.starts_with(b"llvm.fshl.") || name.starts_with(b"llvm.fshr.") {
                self.funnel(call);
            }
        }
    }

    /// Places the check of the distance of a shift of two words as one. Rust demands that it is
    /// less than their width; a rotation is one of a word with itself, by any distance.
    unsafe fn funnel(&mut self, call: LLVMValueRef) {
        // SAFETY: the intrinsic has three operands.
        unsafe {
            let [high, low, distance] = [0, 1, 2].map(|n| LLVMGetOperand(call, n));
            if high != low {
                let operands = [Some(high), Some(distance)];
                self.unless_plain(call, ClaimCheck::Demand(DemandWord::Distance, operands));
            }
        }
    }

    /// Places the check of a demand on the first operands of an instruction.
    unsafe fn demand(&mut self, instruction: LLVMValueRef, word: DemandWord, operands: u32) {
        // SAFETY: the instruction has so many operands.
        unsafe {
            let operand =
                |number: u32| (number < operands).then(|| LLVMGetOperand(instruction, number));
            let check = ClaimCheck::Demand(word, [operand(0), operand(1)]);
            self.unless_plain(instruction, check);
        }
    }

    fn unless_plain(&mut self, before: LLVMValueRef, check: ClaimCheck) {
        if !self.is_plain(check) {
            self.hooks.before(before, check);
        }
    }

    fn facts(&self) -> ValueFacts<'_> {
        ValueFacts {
            attributes: &self.attributes,
            layout: self.layout,
        }
    }

    /// Reports whether it is plain from the code that a check is passed.
    fn is_plain(&self, check: ClaimCheck) -> bool {
        let facts = self.facts();
        match check {
            ClaimCheck::Range(value, range) => facts.is_within(value, range, MOST_STEPS),
            ClaimCheck::Reference(pointer, reference) => {
                facts.is_reference(pointer, reference, MOST_STEPS)
            }
            ClaimCheck::Slice(..) => false,
            ClaimCheck::Defined(value) => facts.is_defined(value, MOST_STEPS),
            ClaimCheck::InBounds(base, pointer) => facts.is_in_bounds(base, pointer),
            ClaimCheck::Demand(word, operands) => facts.is_met(word, operands),
        }
    }

    /// Reports whether a check that stands in the code is plain by now. The check of a load or of a
    /// call's result is what everything else relies on.
    fn is_settled(&self, check: ClaimCheck) -> bool {
        let begins_here = match check {
            ClaimCheck::Range(value, _) | ClaimCheck::Reference(value, _) => {
                facts::is_source(value)
            }
            // With the variable goes what the load says.
            ClaimCheck::Defined(value) => facts::is_load_of_variable(value),
            _ => false,
        };
        !begins_here && self.is_plain(check)
    }

    /// Drops the checks that say what is plain to see by now. Where they went, passes can do more:
    /// a variable can be given a register only without checks.
    pub fn settle(&self) -> FxHashSet<LLVMValueRef> {
        let mut concerned = FxHashSet::default();
        for call in self.hooks.placed() {
            if let Some(check) = hooks::check(call)
                && self.is_settled(check)
            {
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
            if let Some(check) = hooks::check(instruction)
                && self.is_settled(check)
            {
                erase(instruction);
                settled = true;
            }
        }
        settled
    }

    /// Drops what is plain, and of equal checks in a block all but the first; forgets the hooks
    /// that nothing calls.
    pub fn finish(self) {
        self.settle();
        let blocks: FxHashSet<LLVMBasicBlockRef> = (self.hooks.placed().into_iter())
            // SAFETY: a call stands in a block.
            .map(|call| unsafe { LLVMGetInstructionParent(call) })
            .collect();
        for block in blocks {
            let mut made = FxHashSet::default();
            for instruction in block_code(block) {
                match hooks::check(instruction) {
                    Some(check) if !made.insert(check) => erase(instruction),
                    Some(_) => {}
                    None if may_free(instruction) => {
                        made.retain(|check| {
                            !matches!(check, ClaimCheck::Reference(..) | ClaimCheck::Slice(..))
                        });
                    }
                    None => {}
                }
            }
        }
        self.hooks.finish();
    }
}

fn contains(name: &[u8], part: &[u8]) -> bool {
    name.windows(part.len()).any(|window| window == part)
}
