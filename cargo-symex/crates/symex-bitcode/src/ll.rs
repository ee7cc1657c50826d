//! Thin handles of LLVM's values, types and blocks: the one place of the translation that calls
//! LLVM's C interface.
//!
//! A handle is valid as long as the module it came from; handles are made from a borrowed module
//! within [`translate_module`](super::translate_module) and do not leave it, which makes the calls
//! here sound. Calls that suit only some kinds of value say so; passing another kind is a fault of
//! the caller.

pub use super::llvm::kinds::{IntPredicate, Linkage, Opcode, RmwOp, TypeKind, ValueKind};
use super::llvm::{compat, kinds, language};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
pub use metadata::metadata_kind;
use std::ffi::{CStr, c_char};

macro_rules! handle {
    ($wrap:expr, $raw:expr) => {{
        let raw = unsafe { $raw };
        if raw.is_null() {
            None
        } else {
            Some($wrap(raw))
        }
    }};
}

mod metadata;
mod value;

/// A value: constant, argument, instruction, global, function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct V(LLVMValueRef);

/// A type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct T(LLVMTypeRef);

/// A basic block.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct B(LLVMBasicBlockRef);

/// A metadata node.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Md(LLVMMetadataRef);

/// The module's data layout.
#[derive(Clone, Copy, Debug)]
pub struct DataLayout(LLVMTargetDataRef);

/// A module.
#[derive(Clone, Copy, Debug)]
pub struct M(LLVMModuleRef);

/// Reads LLVM's text, lossily where it is not UTF-8.
unsafe fn text<'a>(ptr: *const c_char, len: usize) -> std::borrow::Cow<'a, str> {
    if ptr.is_null() || len == 0 {
        return "".into();
    }
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(ptr.cast(), len) })
}

impl M {
    pub fn new(module: &inkwell::module::Module<'_>) -> Self {
        M(module.as_mut_ptr())
    }

    pub fn layout(self) -> DataLayout {
        DataLayout(unsafe { LLVMGetModuleDataLayout(self.0) })
    }

    pub fn context(self) -> LLVMContextRef {
        unsafe { LLVMGetModuleContext(self.0) }
    }

    pub fn data_layout_text(self) -> String {
        unsafe { CStr::from_ptr(LLVMGetDataLayoutStr(self.0)) }
            .to_string_lossy()
            .into_owned()
    }

    pub fn functions(self) -> Vec<V> {
        let mut all = Vec::new();
        let mut at = handle!(V, LLVMGetFirstFunction(self.0));
        while let Some(f) = at {
            all.push(f);
            at = handle!(V, LLVMGetNextFunction(f.0));
        }
        all
    }

    pub fn globals(self) -> Vec<V> {
        let mut all = Vec::new();
        let mut at = handle!(V, LLVMGetFirstGlobal(self.0));
        while let Some(g) = at {
            all.push(g);
            at = handle!(V, LLVMGetNextGlobal(g.0));
        }
        all
    }

    pub fn aliases(self) -> Vec<V> {
        let mut all = Vec::new();
        let mut at = handle!(V, LLVMGetFirstGlobalAlias(self.0));
        while let Some(a) = at {
            all.push(a);
            at = handle!(V, LLVMGetNextGlobalAlias(a.0));
        }
        all
    }
}

impl DataLayout {
    /// Returns the bytes from one element of an array to the next.
    pub fn size(self, t: T) -> u64 {
        unsafe { LLVMABISizeOfType(self.0, t.0) }
    }

    pub fn bits(self, t: T) -> u64 {
        unsafe { LLVMSizeOfTypeInBits(self.0, t.0) }
    }

    pub fn align(self, t: T) -> u64 {
        u64::from(unsafe { LLVMABIAlignmentOfType(self.0, t.0) }).max(1)
    }

    /// Returns the byte offset of a field of a struct.
    pub fn offset(self, t: T, field: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.0, t.0, field) }
    }

    pub fn little_endian(self) -> bool {
        unsafe { kinds::is_little_endian(self.0) }
    }

    pub fn pointer_bytes(self) -> u32 {
        unsafe { LLVMPointerSize(self.0) }
    }
}

impl T {
    pub fn kind(self) -> TypeKind {
        unsafe { kinds::type_kind(self.0) }
    }

    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }

    /// Returns LLVM's own text of it.
    pub fn print(self) -> String {
        unsafe {
            let raw = LLVMPrintTypeToString(self.0);
            let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeMessage(raw);
            text
        }
    }

    /// Returns the width of an integer type in bits.
    pub fn int_bits(self) -> u32 {
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Returns the element type of an array or vector.
    pub fn element(self) -> T {
        T(unsafe { LLVMGetElementType(self.0) })
    }

    pub fn array_len(self) -> u64 {
        unsafe { LLVMGetArrayLength2(self.0) }
    }

    pub fn vector_len(self) -> u32 {
        unsafe { LLVMGetVectorSize(self.0) }
    }

    pub fn field_count(self) -> u32 {
        unsafe { LLVMCountStructElementTypes(self.0) }
    }

    /// Returns the type of a struct's field.
    pub fn field(self, i: u32) -> T {
        T(unsafe { LLVMStructGetTypeAtIndex(self.0, i) })
    }

    /// Returns the return type of a function type.
    pub fn returns(self) -> T {
        T(unsafe { LLVMGetReturnType(self.0) })
    }

    /// Returns the parameter types of a function type.
    pub fn params(self) -> Vec<T> {
        let n = unsafe { LLVMCountParamTypes(self.0) } as usize;
        let mut raw: Vec<LLVMTypeRef> = vec![std::ptr::null_mut(); n];
        unsafe { LLVMGetParamTypes(self.0, raw.as_mut_ptr()) };
        raw.into_iter().map(T).collect()
    }

    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    /// Returns an integer type of the same context.
    pub fn int_type(self, bits: u32) -> T {
        T(unsafe { LLVMIntTypeInContext(LLVMGetTypeContext(self.0), bits) })
    }
}

impl V {
    /// Returns LLVM's own handle, for what reads a module beside the translation.
    pub fn raw(self) -> LLVMValueRef {
        self.0
    }
}

/// Index of a function's own attributes.
const FUNCTION: u32 = !0;

/// Numbers of the attributes that the translation reads.
#[derive(Clone, Copy)]
pub struct ByvalKinds {
    byval: u32,
    align: u32,
    noreturn: u32,
    nounwind: u32,
}

impl ByvalKinds {
    pub fn new() -> Self {
        let kind = |name: &str| unsafe {
            LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len())
        };
        ByvalKinds {
            byval: kind("byval"),
            align: kind("align"),
            noreturn: kind("noreturn"),
            nounwind: kind("nounwind"),
        }
    }

    /// Returns the `byval` type and stated alignment (0: none) of parameter `i` of a function.
    pub fn of_param(self, f: V, i: u32) -> Option<(T, u64)> {
        let get = |kind| unsafe { LLVMGetEnumAttributeAtIndex(f.0, i + 1, kind) };
        Self::read(get(self.byval), || get(self.align))
    }

    /// Returns the type and alignment with which an argument of a call is copied, if it is.
    pub fn of_argument(self, call: V, i: u32) -> Option<(T, u64)> {
        let get = |kind| unsafe { LLVMGetCallSiteEnumAttribute(call.0, i + 1, kind) };
        Self::read(get(self.byval), || get(self.align))
    }

    fn read(byval: LLVMAttributeRef, align: impl Fn() -> LLVMAttributeRef) -> Option<(T, u64)> {
        if byval.is_null() {
            return None;
        }
        let align = align();
        let align = if align.is_null() {
            0
        } else {
            unsafe { LLVMGetEnumAttributeValue(align) }
        };
        Some((T(unsafe { LLVMGetTypeAttributeValue(byval) }), align))
    }

    /// Reports whether a function is marked as never returning.
    pub fn noreturn(self, f: V) -> bool {
        !unsafe { LLVMGetEnumAttributeAtIndex(f.0, FUNCTION, self.noreturn) }.is_null()
    }

    /// Reports whether a call itself, whatever its callee, is marked as never unwinding.
    pub fn nounwind(self, call: V) -> bool {
        !unsafe { LLVMGetCallSiteEnumAttribute(call.0, FUNCTION, self.nounwind) }.is_null()
    }
}

impl B {
    pub fn instructions(self) -> Instructions {
        Instructions(handle!(V, LLVMGetFirstInstruction(self.0)))
    }

    pub fn terminator(self) -> Option<V> {
        handle!(V, LLVMGetBasicBlockTerminator(self.0))
    }
}

/// Iterator over the instructions of a block, in order.
pub struct Instructions(Option<V>);

impl Iterator for Instructions {
    type Item = V;
    fn next(&mut self) -> Option<V> {
        let now = self.0?;
        self.0 = handle!(V, LLVMGetNextInstruction(now.0));
        Some(now)
    }
}
