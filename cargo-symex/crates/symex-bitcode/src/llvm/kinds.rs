//! Numeric enumerations of LLVM's C interface: opcodes, kinds of type and value, linkage,
//! predicates.
//!
//! Numbers are read as integers and never as a Rust enum of the bindings, which a number of a newer
//! LLVM would break. Most are part of LLVM's stable interface and stand in the tables here. Those
//! of [`ValueKind`] and of debug information move from version to version, so the loaded LLVM is
//! asked for them (`probe.rs`). A number that is not known is `Unknown`.

use std::ffi::{c_int, c_uint};

use inkwell::llvm_sys::prelude::*;

use symex_program::Ordering;

use super::probe;

/// Functions that return a number. The bindings declare an enum as their result, so they are
/// declared here once more.
mod raw {
    use super::*;
    unsafe extern "C" {
        pub fn LLVMGetInstructionOpcode(instruction: LLVMValueRef) -> c_uint;
        pub fn LLVMGetConstOpcode(constant: LLVMValueRef) -> c_uint;
        pub fn LLVMGetTypeKind(ty: LLVMTypeRef) -> c_uint;
        pub fn LLVMGetValueKind(value: LLVMValueRef) -> c_uint;
        pub fn LLVMGetLinkage(global: LLVMValueRef) -> c_uint;
        pub fn LLVMGetICmpPredicate(comparison: LLVMValueRef) -> c_uint;
        pub fn LLVMGetFCmpPredicate(comparison: LLVMValueRef) -> c_uint;
        pub fn LLVMGetAtomicRMWBinOp(operation: LLVMValueRef) -> c_uint;
        pub fn LLVMGetOrdering(access: LLVMValueRef) -> c_uint;
        pub fn LLVMGetCmpXchgSuccessOrdering(exchange: LLVMValueRef) -> c_uint;
        pub fn LLVMGetCmpXchgFailureOrdering(exchange: LLVMValueRef) -> c_uint;
        pub fn LLVMGetMetadataKind(node: LLVMMetadataRef) -> c_uint;
        pub fn LLVMByteOrder(layout: inkwell::llvm_sys::target::LLVMTargetDataRef) -> c_int;
        pub fn LLVMGetDiagInfoSeverity(info: LLVMDiagnosticInfoRef) -> c_int;
    }
}

/// Makes an enum with an additional value for unknown numbers, and its table.
macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident { $($value:ident = $number:pat,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum $name {
            $($value,)*
            /// A number that this tool does not know.
            Unknown,
        }

        impl $name {
            fn of_number(number: c_uint) -> Self {
                match number {
                    $($number => $name::$value,)*
                    _ => $name::Unknown,
                }
            }
        }
    };
}

numbered! {
    /// Opcode of an instruction or a constant expression. A branch is one opcode up to LLVM 22, and
    /// two from LLVM 23 on.
    Opcode {
        Ret = 1, Br = 2 | 70 | 71, Switch = 3, IndirectBr = 4, Invoke = 5, Unreachable = 7,
        CallBr = 67, FNeg = 66, Add = 8, FAdd = 9, Sub = 10, FSub = 11, Mul = 12, FMul = 13,
        UDiv = 14, SDiv = 15, FDiv = 16, URem = 17, SRem = 18, FRem = 19, Shl = 20, LShr = 21,
        AShr = 22, And = 23, Or = 24, Xor = 25, Alloca = 26, Load = 27, Store = 28,
        GetElementPtr = 29, Trunc = 30, ZExt = 31, SExt = 32, FPToUI = 33, FPToSI = 34,
        UIToFP = 35, SIToFP = 36, FPTrunc = 37, FPExt = 38, PtrToInt = 39, PtrToAddr = 69,
        IntToPtr = 40, BitCast = 41, AddrSpaceCast = 60, ICmp = 42, FCmp = 43, PHI = 44, Call = 45,
        Select = 46, UserOp1 = 47, UserOp2 = 48, VAArg = 49, ExtractElement = 50,
        InsertElement = 51, ShuffleVector = 52, ExtractValue = 53, InsertValue = 54, Freeze = 68,
        Fence = 55, AtomicCmpXchg = 56, AtomicRMW = 57, Resume = 58, LandingPad = 59,
        CleanupRet = 61, CatchRet = 62, CatchPad = 63, CleanupPad = 64, CatchSwitch = 65,
    }
}

numbered! {
    /// The kind of a type.
    TypeKind {
        Void = 0, Half = 1, Float = 2, Double = 3, X86Fp80 = 4, Fp128 = 5, PpcFp128 = 6, Label = 7,
        Integer = 8, Function = 9, Struct = 10, Array = 11, Pointer = 12, Vector = 13,
        Metadata = 14, Token = 16, ScalableVector = 17, BFloat = 18, X86Amx = 19, TargetExt = 20,
        Byte = 21,
    }
}

numbered! {
    /// Linkage of a definition.
    Linkage {
        External = 0, AvailableExternally = 1, LinkOnceAny = 2, LinkOnceODR = 3,
        LinkOnceODRAutoHide = 4, WeakAny = 5, WeakODR = 6, Appending = 7, Internal = 8,
        Private = 9, DLLImport = 10, DLLExport = 11, ExternalWeak = 12, Ghost = 13, Common = 14,
        LinkerPrivate = 15, LinkerPrivateWeak = 16,
    }
}

numbered! {
    /// Predicate of an integer comparison.
    IntPredicate {
        Eq = 32, Ne = 33, UGt = 34, UGe = 35, ULt = 36, ULe = 37, SGt = 38, SGe = 39, SLt = 40,
        SLe = 41,
    }
}

numbered! {
    /// Operation of an atomic read-modify-write.
    RmwOp {
        Xchg = 0, Add = 1, Sub = 2, And = 3, Nand = 4, Or = 5, Xor = 6, Max = 7, Min = 8, UMax = 9,
        UMin = 10, FAdd = 11, FSub = 12, FMax = 13, FMin = 14, UIncWrap = 15, UDecWrap = 16,
        USubCond = 17, USubSat = 18, FMaximum = 19, FMinimum = 20,
    }
}

/// The kind of a value. The numbers differ from version to version.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    Argument,
    BasicBlock,
    Function,
    GlobalAlias,
    GlobalIFunc,
    GlobalVariable,
    BlockAddress,
    ConstantExpr,
    ConstantArray,
    ConstantStruct,
    ConstantVector,
    ConstantAggregateZero,
    ConstantDataArray,
    ConstantDataVector,
    ConstantInt,
    ConstantFP,
    ConstantPointerNull,
    Undef,
    Poison,
    MetadataAsValue,
    InlineAsm,
    Instruction,
    /// A kind that this tool does not know.
    Unknown,
}

/// Returns the opcode of an instruction.
///
/// # Safety
/// The value is an instruction.
pub unsafe fn opcode(instruction: LLVMValueRef) -> Opcode {
    Opcode::of_number(unsafe { raw::LLVMGetInstructionOpcode(instruction) })
}

/// Returns the opcode of a constant expression.
///
/// # Safety
/// The value is a constant expression.
pub unsafe fn constant_opcode(constant: LLVMValueRef) -> Opcode {
    Opcode::of_number(unsafe { raw::LLVMGetConstOpcode(constant) })
}

/// Returns the kind of a type.
///
/// # Safety
/// The type belongs to a context that is still there.
pub unsafe fn type_kind(ty: LLVMTypeRef) -> TypeKind {
    TypeKind::of_number(unsafe { raw::LLVMGetTypeKind(ty) })
}

/// Returns the kind of a value.
///
/// # Safety
/// The value belongs to a context that is still there.
pub unsafe fn value_kind(value: LLVMValueRef) -> ValueKind {
    probe::numbers().value_kind(unsafe { value_kind_number(value) })
}

/// Returns the kind of a value as this LLVM numbers it.
///
/// # Safety
/// As for [`value_kind`].
pub(super) unsafe fn value_kind_number(value: LLVMValueRef) -> u32 {
    unsafe { raw::LLVMGetValueKind(value) }
}

/// Returns the linkage of a global.
///
/// # Safety
/// The value is a function, variable, alias or ifunc.
pub unsafe fn linkage(global: LLVMValueRef) -> Linkage {
    Linkage::of_number(unsafe { raw::LLVMGetLinkage(global) })
}

/// Returns the predicate of an integer comparison.
///
/// # Safety
/// The value is an `icmp`.
pub unsafe fn int_predicate(comparison: LLVMValueRef) -> IntPredicate {
    IntPredicate::of_number(unsafe { raw::LLVMGetICmpPredicate(comparison) })
}

/// Returns LLVM's number of the predicate of a float comparison, 0 to 15.
///
/// # Safety
/// The value is an `fcmp`.
pub unsafe fn float_predicate(comparison: LLVMValueRef) -> u32 {
    unsafe { raw::LLVMGetFCmpPredicate(comparison) }
}

/// Returns the operation of an `atomicrmw`.
///
/// # Safety
/// The value is an `atomicrmw`.
pub unsafe fn rmw_op(operation: LLVMValueRef) -> RmwOp {
    RmwOp::of_number(unsafe { raw::LLVMGetAtomicRMWBinOp(operation) })
}

/// Returns the ordering of a load, store, fence or atomic read-modify-write.
///
/// # Safety
/// The value is one of these instructions.
pub unsafe fn ordering(access: LLVMValueRef) -> Ordering {
    ordering_of_number(unsafe { raw::LLVMGetOrdering(access) })
}

/// Returns the orderings of a compare-and-exchange: where it exchanges, and where not.
///
/// # Safety
/// The value is a `cmpxchg`.
pub unsafe fn exchange_orderings(exchange: LLVMValueRef) -> [Ordering; 2] {
    let numbers = unsafe {
        [
            raw::LLVMGetCmpXchgSuccessOrdering(exchange),
            raw::LLVMGetCmpXchgFailureOrdering(exchange),
        ]
    };
    numbers.map(ordering_of_number)
}

/// Returns the ordering of a number. An unknown one counts as the weakest, which orders nothing.
fn ordering_of_number(number: c_uint) -> Ordering {
    match number {
        0 => Ordering::Plain,
        4 => Ordering::Acquire,
        5 => Ordering::Release,
        6 => Ordering::AcqRel,
        7 => Ordering::SeqCst,
        _ => Ordering::Relaxed,
    }
}

/// Returns the kind of a metadata node as this LLVM numbers it.
///
/// # Safety
/// The node belongs to a context that is still there.
pub(super) unsafe fn metadata_kind(node: LLVMMetadataRef) -> u32 {
    unsafe { raw::LLVMGetMetadataKind(node) }
}

/// Reports whether a node of debug information is a function's.
///
/// # Safety
/// The node is one of a module that is alive.
pub unsafe fn is_subprogram(node: LLVMMetadataRef) -> bool {
    unsafe { metadata_kind(node) == probe::numbers().subprogram }
}

/// Reports whether a node of debug information is that of a block within a function.
///
/// # Safety
/// The node is one of a module that is alive.
pub unsafe fn is_lexical_block(node: LLVMMetadataRef) -> bool {
    unsafe {
        probe::numbers()
            .lexical_blocks
            .contains(&metadata_kind(node))
    }
}

/// Reports whether the layout is little endian.
///
/// # Safety
/// The layout belongs to a module that is still there.
pub unsafe fn is_little_endian(layout: inkwell::llvm_sys::target::LLVMTargetDataRef) -> bool {
    const LITTLE_ENDIAN: c_int = 1;
    unsafe { raw::LLVMByteOrder(layout) == LITTLE_ENDIAN }
}

/// Reports whether a diagnostic is an error.
///
/// # Safety
/// Called from the diagnostic handler that was given it.
pub unsafe fn is_error(info: LLVMDiagnosticInfoRef) -> bool {
    const ERROR: c_int = 0;
    unsafe { raw::LLVMGetDiagInfoSeverity(info) == ERROR }
}
