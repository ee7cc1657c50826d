//! Facts about values that are plain from the code: a claim that follows from another one needs no
//! check.

use inkwell::llvm_sys::LLVMIntPredicate;
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::LLVMTargetDataRef;

use super::super::super::llvm::kinds::{
    Opcode, TypeKind, ValueKind, opcode, type_kind, value_kind,
};
use super::super::inside::{Span, constant_offset, is_inside};
use super::super::walk::{called_name, users};
use super::attributes::{AttributePosition, Attributes, ConstantRange, Reference};
use super::hooks::DemandWord;

/// Looks at where values come from.
pub struct ValueFacts<'a> {
    pub attributes: &'a Attributes,
    pub layout: LLVMTargetDataRef,
}

/// Returns the position that says something about a value, if it is a parameter or the result of a
/// call.
fn position(value: LLVMValueRef) -> Option<AttributePosition> {
    // SAFETY: asks any value what it is; a parameter is one of its function's.
    unsafe {
        if value_kind(value) == ValueKind::Argument {
            let function = LLVMGetParamParent(value);
            let number = (0..LLVMCountParams(function))
                .find(|&number| LLVMGetParam(function, number) == value)?;
            return Some(AttributePosition::Parameter(function, number));
        }
        if LLVMIsAInstruction(value).is_null() {
            return None;
        }
        matches!(opcode(value), Opcode::Call | Opcode::Invoke)
            .then_some(AttributePosition::ResultOf(value))
    }
}

/// Returns the opcode of an instruction; `None` for any other value.
fn instruction(value: LLVMValueRef) -> Option<Opcode> {
    // SAFETY: asks any value what it is.
    unsafe { (!LLVMIsAInstruction(value).is_null()).then(|| opcode(value)) }
}

/// Reports whether a value comes from where nothing is known of it but what is claimed: a load, or
/// a call.
pub fn is_source(value: LLVMValueRef) -> bool {
    matches!(
        instruction(value),
        Some(Opcode::Load | Opcode::Call | Opcode::Invoke)
    )
}

/// Reports whether a value is loaded from a local variable, or a part of one.
pub fn is_load_of_variable(value: LLVMValueRef) -> bool {
    if instruction(value) != Some(Opcode::Load) {
        return false;
    }
    let mut place = value;
    loop {
        // SAFETY: the first operand of a load and of an address computation is a pointer.
        place = unsafe { LLVMGetOperand(place, 0) };
        match instruction(place) {
            Some(Opcode::GetElementPtr) => {}
            opcode => return opcode == Some(Opcode::Alloca),
        }
    }
}

/// Returns the value of a constant integer of up to 64 bits.
fn integer(value: LLVMValueRef) -> Option<u64> {
    // SAFETY: only a small constant is asked for its value.
    unsafe {
        let is_small =
            !LLVMIsAConstantInt(value).is_null() && LLVMGetIntTypeWidth(LLVMTypeOf(value)) <= 64;
        is_small.then(|| LLVMConstIntGetZExtValue(value))
    }
}

/// Returns the values that a choice may be: the sides of a select, or what comes in by a phi.
fn choices(value: LLVMValueRef) -> Option<Vec<LLVMValueRef>> {
    /// Number of values that a phi may have.
    const MOST: u32 = 4;
    // SAFETY: operands are read as the opcode defines them.
    unsafe {
        match instruction(value)? {
            Opcode::Select => Some(vec![LLVMGetOperand(value, 1), LLVMGetOperand(value, 2)]),
            Opcode::PHI if LLVMCountIncoming(value) <= MOST => {
                let incoming = |n| LLVMGetIncomingValue(value, n);
                Some((0..LLVMCountIncoming(value)).map(incoming).collect())
            }
            _ => None,
        }
    }
}

impl ValueFacts<'_> {
    /// Reports whether a value is in a range.
    pub fn is_within(&self, value: LLVMValueRef, range: ConstantRange, steps: u32) -> bool {
        if let Some(value) = integer(value) {
            return range.has(value);
        }
        let known = match position(value) {
            Some(position) => self.attributes.range(position),
            None => match instruction(value) {
                // SAFETY: it is a load, and its check stands behind it.
                Some(Opcode::Load) => unsafe { self.attributes.range_of_load(value) },
                Some(Opcode::ZExt) => {
                    // SAFETY: a conversion has one operand, here an integer.
                    let narrow = unsafe { LLVMTypeOf(LLVMGetOperand(value, 0)) };
                    let width = unsafe { LLVMGetIntTypeWidth(narrow) };
                    (width < range.width).then(|| ConstantRange {
                        width: range.width,
                        low: 0,
                        high: 1 << width,
                    })
                }
                _ => None,
            },
        };
        if known.is_some_and(|known| range.covers(known)) {
            return true;
        }
        steps > 0
            && choices(value).is_some_and(|all| {
                all.into_iter()
                    .all(|value| self.is_within(value, range, steps - 1))
            })
    }

    /// Reports whether a value is initialised.
    pub fn is_defined(&self, value: LLVMValueRef, steps: u32) -> bool {
        // SAFETY: operands are read as the opcode defines them.
        unsafe {
            if LLVMIsConstant(value) != 0 {
                return !matches!(value_kind(value), ValueKind::Undef | ValueKind::Poison);
            }
            if let Some(position) = position(value) {
                if let AttributePosition::ResultOf(call) = position {
                    let callee = LLVMIsAFunction(LLVMGetCalledValue(call));
                    let is_intrinsic = !callee.is_null() && LLVMGetIntrinsicID(callee) != 0;
                    if is_intrinsic {
                        return self.are_operands_defined(call, steps);
                    }
                }
                return self.attributes.is_defined(position);
            }
            match instruction(value) {
                Some(Opcode::Load) => self.attributes.is_load_defined(value),
                Some(Opcode::Alloca | Opcode::Freeze | Opcode::LandingPad) => true,
                Some(Opcode::AtomicCmpXchg | Opcode::AtomicRMW) => true,
                Some(_) => self.are_operands_defined(value, steps),
                None => false,
            }
        }
    }

    /// Reports whether all operands of an instruction are initialised, and so its value is.
    unsafe fn are_operands_defined(&self, user: LLVMValueRef, steps: u32) -> bool {
        // SAFETY: an instruction has so many operands.
        unsafe {
            let count = match opcode(user) {
                Opcode::PHI => LLVMCountIncoming(user),
                Opcode::Call => LLVMGetNumArgOperands(user),
                _ => LLVMGetNumOperands(user) as u32,
            };
            steps > 0 && (0..count).all(|n| self.is_defined(LLVMGetOperand(user, n), steps - 1))
        }
    }

    /// Reports whether a pointer is a valid reference.
    pub fn is_reference(&self, pointer: LLVMValueRef, claim: Reference, steps: u32) -> bool {
        let span = Span {
            length: claim.bytes,
            align: claim.align,
            writes: false,
        };
        if is_inside(pointer, span, self.layout) {
            return true;
        }
        // SAFETY: operands are read as the opcode defines them.
        unsafe {
            if value_kind(pointer) == ValueKind::Function {
                return claim.bytes == 0 && claim.align <= 1;
            }
            let (base, offset) = match instruction(pointer) {
                Some(Opcode::GetElementPtr) => {
                    match constant_offset(pointer, Some(0), self.layout) {
                        Some(offset) => (LLVMGetOperand(pointer, 0), offset),
                        // A place in an object is not null.
                        None if claim.bytes == 0 && claim.align <= 1 => {
                            return LLVMIsInBounds(pointer) != 0;
                        }
                        None => return false,
                    }
                }
                _ => (pointer, 0),
            };
            let known = match position(base) {
                Some(position) => self.attributes.reference(position, base),
                None => match instruction(base) {
                    Some(Opcode::Load) => self.attributes.reference_of_load(base),
                    _ => None,
                },
            };
            let covers = known.is_some_and(|known| {
                let end = offset.checked_add(claim.bytes);
                let is_there = claim.bytes == 0 && (offset == 0 || known.bytes >= offset)
                    || end.is_some_and(|end| end <= known.bytes);
                is_there && (known.align | offset).trailing_zeros() >= claim.align.trailing_zeros()
            });
            covers
                || steps > 0
                    && choices(pointer).is_some_and(|all| {
                        all.into_iter()
                            .all(|pointer| self.is_reference(pointer, claim, steps - 1))
                    })
        }
    }

    /// Reports whether arithmetic to a pointer stays in an object, or does not move at all.
    pub fn is_in_bounds(&self, base: LLVMValueRef, pointer: LLVMValueRef) -> bool {
        if base == pointer {
            return true;
        }
        if origin(base) != origin(pointer) {
            return false;
        }
        let span = Span {
            length: 0,
            align: 1,
            writes: false,
        };
        if is_inside(pointer, span, self.layout) && is_inside(base, span, self.layout) {
            return true;
        }
        // SAFETY: an address computation has a base.
        unsafe {
            if is_accessed_next(pointer) && !may_be_outside(base) {
                return true;
            }
            if instruction(pointer) != Some(Opcode::GetElementPtr)
                || LLVMGetOperand(pointer, 0) != base
            {
                return false;
            }
            match constant_offset(pointer, Some(0), self.layout) {
                Some(0) => true,
                Some(bytes) => {
                    let claim = Reference {
                        bytes,
                        align: 1,
                        nullable: false,
                    };
                    self.is_reference(base, claim, 1)
                }
                None => false,
            }
        }
    }

    /// Reports whether operands are sure to meet a demand.
    pub fn is_met(&self, word: DemandWord, operands: [Option<LLVMValueRef>; 2]) -> bool {
        // SAFETY: only integers are asked for their width.
        unsafe {
            let [Some(first), second] = operands else {
                return false;
            };
            let width = |value| match type_kind(LLVMTypeOf(value)) {
                TypeKind::Integer => u64::from(LLVMGetIntTypeWidth(LLVMTypeOf(value))),
                _ => 0,
            };
            match word {
                DemandWord::NonZero => integer(first).is_some_and(|n| n != 0),
                DemandWord::Distance => second.is_some_and(|distance| {
                    integer(distance).is_some_and(|n| n < width(first))
                        || is_masked(distance, width(first))
                }),
                DemandWord::Index | DemandWord::CopyCount => second
                    .and_then(integer)
                    .is_some_and(|most| is_at_most(first, most)),
                DemandWord::SignedIndex => second.and_then(integer).is_some_and(|most| {
                    let known = integer(first).map(|n| (n as i64).unsigned_abs());
                    known.is_some_and(|n| n <= most) || is_at_most(first, most)
                }),
                _ => false,
            }
        }
    }
}

/// Reports whether a pointer was computed by arithmetic that may leave its object.
unsafe fn may_be_outside(pointer: LLVMValueRef) -> bool {
    // SAFETY: asks an address computation for its flag.
    unsafe { instruction(pointer) == Some(Opcode::GetElementPtr) && LLVMIsInBounds(pointer) == 0 }
}

/// Reports whether a pointer is accessed where it is computed, or on the only way there: then the
/// access is checked, and says more.
unsafe fn is_accessed_next(pointer: LLVMValueRef) -> bool {
    // SAFETY: users of an instruction are instructions, and have a block.
    unsafe {
        if instruction(pointer).is_none() {
            return false;
        }
        let block = LLVMGetInstructionParent(pointer);
        users(pointer).into_iter().any(|user| {
            let is_access = match opcode(user) {
                Opcode::Load => true,
                Opcode::Store => LLVMGetOperand(user, 1) == pointer,
                _ => false,
            };
            is_access && is_on_the_way(block, LLVMGetInstructionParent(user))
        })
    }
}

/// Reports whether a block is another one, or is entered only from it or from the one block behind
/// it: rustc places a check for null and one of the alignment before an access.
unsafe fn is_on_the_way(from: LLVMBasicBlockRef, to: LLVMBasicBlockRef) -> bool {
    const MOST_BLOCKS: usize = 4;
    let mut block = to;
    for _ in 0..MOST_BLOCKS {
        if block == from {
            return true;
        }
        // SAFETY: what uses a block is a terminator in another one.
        unsafe {
            let [only] = users(LLVMBasicBlockAsValue(block))[..] else {
                return false;
            };
            if LLVMIsAInstruction(only).is_null() {
                return false;
            }
            block = LLVMGetInstructionParent(only);
        }
    }
    block == from
}

/// Reports whether a number without a sign is plainly at most another one, which is that of the
/// elements that an object can have.
unsafe fn is_at_most(value: LLVMValueRef, most: u64) -> bool {
    // SAFETY: operands are read as the opcode defines them.
    unsafe {
        match instruction(value) {
            None => integer(value).is_some_and(|n| n <= most),
            Some(Opcode::ZExt) => {
                let from = LLVMTypeOf(LLVMGetOperand(value, 0));
                type_kind(from) == TypeKind::Integer
                    && LLVMGetIntTypeWidth(from) < 64
                    && (1 << LLVMGetIntTypeWidth(from)) - 1 <= most
            }
            Some(_) => is_masked(value, most.saturating_add(1)),
        }
    }
}

/// Reports whether a block is entered only where a number is less than another one: rustc compares
/// an index with the length before it uses it.
pub fn is_below_a_length(block: LLVMBasicBlockRef, index: LLVMValueRef) -> bool {
    // SAFETY: what uses a block is a terminator; operands are read as the opcodes define them.
    unsafe {
        let [branch] = users(LLVMBasicBlockAsValue(block))[..] else {
            return false;
        };
        if instruction(branch) != Some(Opcode::Br) || LLVMIsConditional(branch) == 0 {
            return false;
        }
        let mut condition = LLVMGetCondition(branch);
        if instruction(condition) == Some(Opcode::Call)
            && called_name(condition).starts_with(b"llvm.expect.")
        {
            condition = LLVMGetOperand(condition, 0);
        }
        instruction(condition) == Some(Opcode::ICmp)
            && LLVMGetICmpPredicate(condition) == LLVMIntPredicate::LLVMIntULT
            && LLVMGetOperand(condition, 0) == index
            && LLVMGetSuccessor(branch, 0) == block
    }
}

/// Reports whether a value is less than a bound because it was masked.
unsafe fn is_masked(value: LLVMValueRef, bound: u64) -> bool {
    // SAFETY: operands are read as the opcode defines them.
    unsafe {
        match instruction(value) {
            Some(Opcode::And) => [0, 1]
                .into_iter()
                .any(|side| integer(LLVMGetOperand(value, side)).is_some_and(|n| n < bound)),
            Some(Opcode::ZExt | Opcode::Trunc) => is_masked(LLVMGetOperand(value, 0), bound),
            _ => false,
        }
    }
}

/// Returns the pointer from which address computations lead to this one.
fn origin(pointer: LLVMValueRef) -> LLVMValueRef {
    let mut at = pointer;
    // SAFETY: an address computation has a base.
    unsafe {
        while instruction(at) == Some(Opcode::GetElementPtr) {
            at = LLVMGetOperand(at, 0);
        }
    }
    at
}
