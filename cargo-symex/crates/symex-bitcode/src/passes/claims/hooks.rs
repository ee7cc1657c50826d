//! Hooks: the functions whose calls are the checks of claims.
//!
//! A hook knows no memory but may not return: passes keep calls of it where they are, and look
//! through them.

use std::ffi::{CStr, CString};

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::LLVMInstructionGetDebugLoc;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};

use super::super::super::llvm::kinds::{Opcode, opcode};
use super::super::checks::PREFIX;
use super::super::promises::kind;
use super::super::walk::{all_functions, called_name, name_of, users};
use super::attributes::{ConstantRange, Reference};

const RANGE: &str = "range.";
const REFERENCE: &str = "reference";
const POINTER: &str = "pointer";
const SLICE: &str = "slice";
const DEFINED: &str = "defined.";
const IN_BOUNDS: &str = "inbounds";
const DEMAND: &str = "demand.";

/// A claim to be checked at one place of the code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClaimCheck {
    /// An integer is in a range.
    Range(LLVMValueRef, ConstantRange),
    /// A pointer is a valid reference.
    Reference(LLVMValueRef, Reference),
    /// A pointer is a valid reference to as many elements as the second value says, of this many
    /// bytes each.
    Slice(LLVMValueRef, LLVMValueRef, u64),
    /// A value is initialised.
    Defined(LLVMValueRef),
    /// Arithmetic from the first pointer to the second does not leave an object.
    InBounds(LLVMValueRef, LLVMValueRef),
    /// Operands are such that an operation on them is defined.
    Demand(DemandWord, [Option<LLVMValueRef>; 2]),
}

macro_rules! words {
    ($($(#[$doc:meta])* $word:ident = $name:literal,)*) => {
        /// A demand of an operation on its operands, as named in a hook.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum DemandWord {
            $($(#[$doc])* $word,)*
        }

        impl DemandWord {
            /// Returns the word in the name of a hook.
            fn name(self) -> &'static str {
                match self {
                    $(DemandWord::$word => $name,)*
                }
            }

            fn of_name(name: &str) -> Option<DemandWord> {
                Some(match name {
                    $($name => DemandWord::$word,)*
                    _ => return None,
                })
            }
        }
    };
}

words! {
    AddUnsigned = "uadd",
    AddSigned = "sadd",
    SubUnsigned = "usub",
    SubSigned = "ssub",
    MulUnsigned = "umul",
    MulSigned = "smul",
    ShlUnsigned = "ushl",
    ShlSigned = "sshl",
    /// The distance of a shift is less than the width.
    Distance = "distance",
    ExactUnsigned = "uexact",
    ExactSigned = "sexact",
    /// A shift to the right by the second operand loses no bits of the first.
    ExactShift = "exact",
    Disjoint = "disjoint",
    /// A float can be converted to an unsigned integer of as many bits as the second operand says.
    ToUnsigned = "toui",
    /// Like [`DemandWord::ToUnsigned`], to a signed integer.
    ToSigned = "tosi",
    NonZero = "nonzero",
    NotSmallest = "notsmallest",
    Finite = "finite",
    /// An index into elements is at most the second operand, so that its bytes can be in an object.
    Index = "index",
    /// Like [`DemandWord::Index`], of an index with a sign, to either side.
    SignedIndex = "sindex",
    /// The number of elements that are copied or set is at most the second operand.
    CopyCount = "copied",
}

/// Kind of a hook, by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HookKind {
    Range,
    Reference,
    /// Like [`HookKind::Reference`], of a pointer that may be null.
    Pointer,
    Slice,
    Defined,
    InBounds,
    Demand(DemandWord),
}

impl HookKind {
    /// Returns the kind of the hook with this name; `None` for any other function.
    pub fn of_name(name: &str) -> Option<HookKind> {
        let rest = name.strip_prefix(PREFIX)?;
        Some(match rest {
            REFERENCE => HookKind::Reference,
            POINTER => HookKind::Pointer,
            SLICE => HookKind::Slice,
            IN_BOUNDS => HookKind::InBounds,
            _ if rest.starts_with(RANGE) => HookKind::Range,
            _ if rest.starts_with(DEFINED) => HookKind::Defined,
            _ => {
                let (word, _ty) = rest.strip_prefix(DEMAND)?.split_once('.')?;
                HookKind::Demand(DemandWord::of_name(word)?)
            }
        })
    }
}

/// Builder of calls of hooks.
pub struct Hooks {
    module: LLVMModuleRef,
    context: LLVMContextRef,
    builder: LLVMBuilderRef,
}

impl Hooks {
    /// Returns the builder for a module.
    ///
    /// # Safety
    /// The module is valid as long as the hooks are used.
    pub unsafe fn of(module: LLVMModuleRef) -> Hooks {
        // SAFETY: as the caller says.
        unsafe {
            let context = LLVMGetModuleContext(module);
            Hooks {
                module,
                context,
                builder: LLVMCreateBuilderInContext(context),
            }
        }
    }

    /// Makes a 64-bit constant.
    pub fn number(&self, value: u64) -> LLVMValueRef {
        // SAFETY: the context is that of the module.
        unsafe { LLVMConstInt(LLVMInt64TypeInContext(self.context), value, 0) }
    }

    /// Puts a check in front of an instruction.
    pub fn before(&self, instruction: LLVMValueRef, check: ClaimCheck) {
        // SAFETY: takes over the instruction's debug location.
        unsafe { LLVMPositionBuilderBefore(self.builder, instruction) };
        self.build(check);
    }

    /// Puts a check right behind an instruction that is no terminator.
    pub fn after(&self, instruction: LLVMValueRef, check: ClaimCheck) {
        // SAFETY: there is a next instruction; the location is that of the first.
        unsafe {
            LLVMPositionBuilderBefore(self.builder, LLVMGetNextInstruction(instruction));
            let location = LLVMInstructionGetDebugLoc(instruction);
            LLVMSetCurrentDebugLocation2(self.builder, location);
        }
        self.build(check);
    }

    fn build(&self, check: ClaimCheck) {
        // SAFETY: the operands are values that the instruction at the builder's place may use.
        unsafe {
            let typed = |word: &str, value| format!("{PREFIX}{word}{}", type_text(value));
            let (name, mut operands) = match check {
                ClaimCheck::Range(value, range) => {
                    let ty = LLVMTypeOf(value);
                    let bound = |bound| LLVMConstInt(ty, bound, 0);
                    let operands = vec![value, bound(range.low), bound(range.high)];
                    (typed(RANGE, value), operands)
                }
                ClaimCheck::Reference(pointer, claim) => {
                    let name = match claim.nullable {
                        true => POINTER,
                        false => REFERENCE,
                    };
                    let [bytes, align] = [claim.bytes, claim.align].map(|n| self.number(n));
                    (format!("{PREFIX}{name}"), vec![pointer, bytes, align])
                }
                ClaimCheck::Slice(pointer, length, size) => {
                    let operands = vec![pointer, length, self.number(size)];
                    (format!("{PREFIX}{SLICE}"), operands)
                }
                ClaimCheck::Defined(value) => (typed(DEFINED, value), vec![value]),
                ClaimCheck::InBounds(base, pointer) => {
                    (format!("{PREFIX}{IN_BOUNDS}"), vec![base, pointer])
                }
                ClaimCheck::Demand(word, operands) => {
                    let operands: Vec<_> = operands.into_iter().flatten().collect();
                    let word = format!("{DEMAND}{}.", word.name());
                    (typed(&word, operands[0]), operands)
                }
            };
            let mut types: Vec<_> = operands.iter().map(|&o| LLVMTypeOf(o)).collect();
            let count = operands.len() as u32;
            let void = LLVMVoidTypeInContext(self.context);
            let ty = LLVMFunctionType(void, types.as_mut_ptr(), count, 0);
            let hook = self.hook(&name, ty);
            let operands = operands.as_mut_ptr();
            LLVMBuildCall2(self.builder, ty, hook, operands, count, c"".as_ptr());
        }
    }

    unsafe fn hook(&self, name: &str, ty: LLVMTypeRef) -> LLVMValueRef {
        const FUNCTION: LLVMAttributeIndex = LLVMAttributeFunctionIndex;
        // SAFETY: the module is valid; the name ends with zero.
        unsafe {
            let name = CString::new(name).expect("no type's text has a zero");
            let mut hook = LLVMGetNamedFunction(self.module, name.as_ptr());
            if hook.is_null() {
                hook = LLVMAddFunction(self.module, name.as_ptr(), ty);
                for attribute in ["nounwind", "memory"] {
                    let attribute = LLVMCreateEnumAttribute(self.context, kind(attribute), 0);
                    LLVMAddAttributeAtIndex(hook, FUNCTION, attribute);
                }
            }
            hook
        }
    }

    /// Returns the hooks that the module has.
    fn all(&self) -> Vec<LLVMValueRef> {
        let mut all = all_functions(self.module);
        all.retain(|&function| {
            let name = name_of(function);
            name.starts_with(PREFIX.as_bytes())
                && std::str::from_utf8(name).is_ok_and(|name| HookKind::of_name(name).is_some())
        });
        all
    }

    /// Returns all checks that stand in the module.
    pub fn placed(&self) -> Vec<LLVMValueRef> {
        self.all().into_iter().flat_map(users).collect()
    }

    /// Deletes the hooks that nothing calls.
    pub fn finish(self) {
        // SAFETY: the builder is not used any more, and a function that nothing uses can be
        // deleted.
        unsafe {
            LLVMDisposeBuilder(self.builder);
            for hook in self.all() {
                if LLVMGetFirstUse(hook).is_null() {
                    LLVMDeleteFunction(hook);
                }
            }
        }
    }
}

/// Returns the text of a value's type.
unsafe fn type_text(value: LLVMValueRef) -> String {
    // SAFETY: the text is LLVM's until it is disposed of.
    unsafe {
        let text = LLVMPrintTypeToString(LLVMTypeOf(value));
        let copy = CStr::from_ptr(text).to_string_lossy().into_owned();
        LLVMDisposeMessage(text);
        copy
    }
}

/// Returns what an instruction checks, if it is a call of a hook.
pub fn check(instruction: LLVMValueRef) -> Option<ClaimCheck> {
    // SAFETY: the operands of a call of a hook are those that `build` gives it.
    unsafe {
        if opcode(instruction) != Opcode::Call {
            return None;
        }
        let name = called_name(instruction);
        if !name.starts_with(PREFIX.as_bytes()) {
            return None;
        }
        let kind = HookKind::of_name(std::str::from_utf8(name).ok()?)?;
        let operand = |number| LLVMGetOperand(instruction, number);
        let number = |number| LLVMConstIntGetZExtValue(operand(number));
        Some(match kind {
            HookKind::Range => {
                let range = ConstantRange {
                    width: LLVMGetIntTypeWidth(LLVMTypeOf(operand(0))),
                    low: number(1),
                    high: number(2),
                };
                ClaimCheck::Range(operand(0), range)
            }
            HookKind::Reference | HookKind::Pointer => {
                let reference = Reference {
                    bytes: number(1),
                    align: number(2),
                    nullable: kind == HookKind::Pointer,
                };
                ClaimCheck::Reference(operand(0), reference)
            }
            HookKind::Slice => ClaimCheck::Slice(operand(0), operand(1), number(2)),
            HookKind::Defined => ClaimCheck::Defined(operand(0)),
            HookKind::InBounds => ClaimCheck::InBounds(operand(0), operand(1)),
            HookKind::Demand(word) => {
                let second = (LLVMGetNumArgOperands(instruction) > 1).then(|| operand(1));
                ClaimCheck::Demand(word, [Some(operand(0)), second])
            }
        })
    }
}
