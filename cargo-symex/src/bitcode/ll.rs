//! Thin handles on LLVM's values, types and blocks: the one place of the translation that calls LLVM's C interface.
//!
//! A handle is valid as long as the module it came from; handles are made from a borrowed module within
//! [`translate_module`](super::translate_module) and do not leave it, which is what makes the calls here sound.
//! Calls that only suit some kinds of value say so; handing them another kind is a fault of the caller.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::llvm_sys::target::*;
pub use inkwell::llvm_sys::{
    LLVMAtomicRMWBinOp as RmwOp, LLVMIntPredicate as IntPredicate, LLVMLinkage as Linkage,
    LLVMOpcode as Opcode, LLVMTypeKind as TypeKind, LLVMValueKind as ValueKind,
};
use std::ffi::{CStr, c_char};

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
pub struct Layout(LLVMTargetDataRef);

/// A module.
#[derive(Clone, Copy, Debug)]
pub struct M(LLVMModuleRef);

/// Text of LLVM's, lossy where it is not UTF-8.
unsafe fn text<'a>(ptr: *const c_char, len: usize) -> std::borrow::Cow<'a, str> {
    if ptr.is_null() || len == 0 {
        return "".into();
    }
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(ptr.cast(), len) })
}

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

impl M {
    pub fn new(module: &inkwell::module::Module<'_>) -> Self {
        M(module.as_mut_ptr())
    }

    pub fn layout(self) -> Layout {
        Layout(unsafe { LLVMGetModuleDataLayout(self.0) })
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

impl Layout {
    /// Bytes from one element of an array to the next.
    pub fn size(self, t: T) -> u64 {
        unsafe { LLVMABISizeOfType(self.0, t.0) }
    }

    pub fn bits(self, t: T) -> u64 {
        unsafe { LLVMSizeOfTypeInBits(self.0, t.0) }
    }

    pub fn align(self, t: T) -> u64 {
        u64::from(unsafe { LLVMABIAlignmentOfType(self.0, t.0) }).max(1)
    }

    /// Byte offset of a field of a struct.
    pub fn offset(self, t: T, field: u32) -> u64 {
        unsafe { LLVMOffsetOfElement(self.0, t.0, field) }
    }

    pub fn little_endian(self) -> bool {
        matches!(
            unsafe { LLVMByteOrder(self.0) },
            LLVMByteOrdering::LLVMLittleEndian
        )
    }

    pub fn pointer_bytes(self) -> u32 {
        unsafe { LLVMPointerSize(self.0) }
    }
}

impl T {
    pub fn kind(self) -> TypeKind {
        unsafe { LLVMGetTypeKind(self.0) }
    }

    pub fn is_sized(self) -> bool {
        unsafe { LLVMTypeIsSized(self.0) != 0 }
    }

    /// Width of an integer type.
    pub fn int_bits(self) -> u32 {
        unsafe { LLVMGetIntTypeWidth(self.0) }
    }

    /// Element type of an array or vector.
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

    /// Type of a struct's field.
    pub fn field(self, i: u32) -> T {
        T(unsafe { LLVMStructGetTypeAtIndex(self.0, i) })
    }

    /// Return type of a function type.
    pub fn returns(self) -> T {
        T(unsafe { LLVMGetReturnType(self.0) })
    }

    /// Parameter types of a function type.
    pub fn params(self) -> Vec<T> {
        let n = unsafe { LLVMCountParamTypes(self.0) } as usize;
        let mut raw: Vec<LLVMTypeRef> = vec![std::ptr::null_mut(); n];
        unsafe { LLVMGetParamTypes(self.0, raw.as_mut_ptr()) };
        raw.into_iter().map(T).collect()
    }

    pub fn is_variadic(self) -> bool {
        unsafe { LLVMIsFunctionVarArg(self.0) != 0 }
    }

    /// An integer type of the same context.
    pub fn int_type(self, bits: u32) -> T {
        T(unsafe { LLVMIntTypeInContext(LLVMGetTypeContext(self.0), bits) })
    }
}

/// An attribute of a parameter or a call argument that the translation reads.
#[derive(Clone, Copy)]
pub struct ByvalKinds {
    byval: u32,
    align: u32,
    noreturn: u32,
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
        }
    }

    /// `byval` type and stated alignment (0: none) of parameter `i` of a function.
    pub fn of_param(self, f: V, i: u32) -> Option<(T, u64)> {
        let get = |kind| unsafe { LLVMGetEnumAttributeAtIndex(f.0, i + 1, kind) };
        Self::read(get(self.byval), || get(self.align))
    }

    /// The same of an argument of a call.
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

    /// Is a function marked as never returning?
    pub fn noreturn(self, f: V) -> bool {
        const FUNCTION: u32 = !0;
        !unsafe { LLVMGetEnumAttributeAtIndex(f.0, FUNCTION, self.noreturn) }.is_null()
    }
}

impl V {
    pub fn kind(self) -> ValueKind {
        unsafe { LLVMGetValueKind(self.0) }
    }

    pub fn ty(self) -> T {
        T(unsafe { LLVMTypeOf(self.0) })
    }

    pub fn name(self) -> String {
        let mut len = 0;
        unsafe { text(LLVMGetValueName2(self.0, &mut len), len) }.into_owned()
    }

    /// Does the name start with `llvm.`?
    pub fn has_llvm_name(self) -> bool {
        let mut len = 0;
        unsafe { text(LLVMGetValueName2(self.0, &mut len), len) }.starts_with("llvm.")
    }

    pub fn is_constant(self) -> bool {
        unsafe { LLVMIsConstant(self.0) != 0 }
    }

    pub fn operand_count(self) -> u32 {
        unsafe { LLVMGetNumOperands(self.0) as u32 }
    }

    pub fn operand(self, i: u32) -> V {
        V(unsafe { LLVMGetOperand(self.0, i) })
    }

    /// Opcode of an instruction or a constant expression.
    pub fn opcode(self) -> Opcode {
        unsafe {
            if LLVMIsAInstruction(self.0).is_null() {
                LLVMGetConstOpcode(self.0)
            } else {
                LLVMGetInstructionOpcode(self.0)
            }
        }
    }

    /// LLVM's own text of it (slow; for what the C interface does not reach).
    pub fn print(self) -> String {
        unsafe {
            let raw = LLVMPrintValueToString(self.0);
            let s = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeMessage(raw);
            s
        }
    }

    // Constants.

    /// Low 64 bits of a constant integer.
    pub fn int_low(self) -> u64 {
        unsafe { LLVMConstIntGetZExtValue(self.0) }
    }

    /// A constant of the same bits and another type, where LLVM can fold it.
    pub fn const_bitcast(self, t: T) -> V {
        V(unsafe { LLVMConstBitCast(self.0, t.0) })
    }

    /// Element of a constant aggregate of any kind, or `None`.
    pub fn aggregate_element(self, i: u32) -> Option<V> {
        handle!(V, LLVMGetAggregateElement(self.0, i))
    }

    /// Bytes of a constant data array or vector.
    pub fn raw_data(self) -> Vec<u8> {
        unsafe {
            let mut len = 0usize;
            // The binding declares the out-parameter by value; it is a pointer in LLVM's header.
            let p = LLVMGetRawDataValues(self.0, (&raw mut len).addr());
            std::slice::from_raw_parts(p.cast::<u8>(), len).to_vec()
        }
    }

    pub fn block_address(self) -> (V, B) {
        unsafe {
            (
                V(LLVMGetBlockAddressFunction(self.0)),
                B(LLVMGetBlockAddressBasicBlock(self.0)),
            )
        }
    }

    pub fn aliasee(self) -> V {
        V(unsafe { LLVMAliasGetAliasee(self.0) })
    }

    // Globals and functions.

    /// Type of what a global, alias or function holds.
    pub fn value_type(self) -> T {
        T(unsafe { LLVMGlobalGetValueType(self.0) })
    }

    pub fn initializer(self) -> Option<V> {
        handle!(V, LLVMGetInitializer(self.0))
    }

    pub fn is_declaration(self) -> bool {
        unsafe { LLVMIsDeclaration(self.0) != 0 }
    }

    pub fn linkage(self) -> Linkage {
        unsafe { LLVMGetLinkage(self.0) }
    }

    pub fn is_global_constant(self) -> bool {
        unsafe { LLVMIsGlobalConstant(self.0) != 0 }
    }

    pub fn is_thread_local(self) -> bool {
        unsafe { LLVMIsThreadLocal(self.0) != 0 }
    }

    pub fn section(self) -> String {
        unsafe {
            let p = LLVMGetSection(self.0);
            if p.is_null() {
                String::new()
            } else {
                CStr::from_ptr(p).to_string_lossy().into_owned()
            }
        }
    }

    /// Stated alignment of a global, alloca, load, store or atomic; 0 if none.
    pub fn alignment(self) -> u64 {
        u64::from(unsafe { LLVMGetAlignment(self.0) })
    }

    pub fn params(self) -> Vec<V> {
        let n = unsafe { LLVMCountParams(self.0) };
        (0..n)
            .map(|i| V(unsafe { LLVMGetParam(self.0, i) }))
            .collect()
    }

    pub fn entry_block(self) -> B {
        B(unsafe { LLVMGetEntryBasicBlock(self.0) })
    }

    pub fn subprogram(self) -> Option<Md> {
        handle!(Md, LLVMGetSubprogram(self.0))
    }

    // Instructions.

    pub fn debug_loc(self) -> Option<Md> {
        handle!(Md, LLVMInstructionGetDebugLoc(self.0))
    }

    pub fn successors(self) -> Vec<B> {
        let n = unsafe { LLVMGetNumSuccessors(self.0) };
        (0..n)
            .map(|i| B(unsafe { LLVMGetSuccessor(self.0, i) }))
            .collect()
    }

    /// Value of the `i`th case of a switch; the default is not counted.
    pub fn case_value(self, i: u32) -> V {
        V(unsafe { LLVMGetSwitchCaseValue(self.0, i + 1) })
    }

    pub fn int_predicate(self) -> IntPredicate {
        unsafe { LLVMGetICmpPredicate(self.0) }
    }

    /// LLVM's number of a float predicate, 0 to 15.
    pub fn float_predicate(self) -> u32 {
        unsafe { LLVMGetFCmpPredicate(self.0) as u32 }
    }

    pub fn gep_source(self) -> T {
        T(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    pub fn allocated_type(self) -> T {
        T(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// Indices of `extractvalue` and `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        unsafe {
            let n = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), n).to_vec()
        }
    }

    /// Lanes a `shufflevector` picks; `None` is poison.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        unsafe {
            (0..LLVMGetNumMaskElements(self.0))
                .map(|i| u32::try_from(LLVMGetMaskValue(self.0, i)).ok())
                .collect()
        }
    }

    pub fn incoming(self) -> Vec<(V, B)> {
        unsafe {
            (0..LLVMCountIncoming(self.0))
                .map(|i| {
                    (
                        V(LLVMGetIncomingValue(self.0, i)),
                        B(LLVMGetIncomingBlock(self.0, i)),
                    )
                })
                .collect()
        }
    }

    pub fn rmw_op(self) -> RmwOp {
        unsafe { LLVMGetAtomicRMWBinOp(self.0) }
    }

    pub fn clauses(self) -> Vec<V> {
        unsafe {
            (0..LLVMGetNumClauses(self.0))
                .map(|i| V(LLVMGetClause(self.0, i)))
                .collect()
        }
    }

    pub fn is_cleanup(self) -> bool {
        unsafe { LLVMIsCleanup(self.0) != 0 }
    }

    pub fn called(self) -> V {
        V(unsafe { LLVMGetCalledValue(self.0) })
    }

    /// The string, if this is an argument that is one (of LLVM's own functions).
    pub fn metadata_text(self) -> Option<String> {
        if !matches!(self.kind(), ValueKind::LLVMMetadataAsValueValueKind) {
            return None;
        }
        let mut len = 0;
        let p = unsafe { LLVMGetMDString(self.0, &mut len) };
        (!p.is_null()).then(|| unsafe { text(p, len as usize) }.into_owned())
    }

    pub fn argument_count(self) -> u32 {
        unsafe { LLVMGetNumArgOperands(self.0) }
    }

    pub fn normal_dest(self) -> B {
        B(unsafe { LLVMGetNormalDest(self.0) })
    }

    pub fn unwind_dest(self) -> B {
        B(unsafe { LLVMGetUnwindDest(self.0) })
    }

    /// Template and constraints, if this is inline assembly.
    pub fn inline_asm(self) -> Option<(String, String)> {
        unsafe {
            if LLVMIsAInlineAsm(self.0).is_null() {
                return None;
            }
            let mut len = 0;
            let p = LLVMGetInlineAsmAsmString(self.0, &mut len);
            let template = text(p, len).into_owned();
            let p = LLVMGetInlineAsmConstraintString(self.0, &mut len);
            Some((template, text(p, len).into_owned()))
        }
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

/// The instructions of a block in order.
pub struct Instructions(Option<V>);

impl Iterator for Instructions {
    type Item = V;
    fn next(&mut self) -> Option<V> {
        let now = self.0?;
        self.0 = handle!(V, LLVMGetNextInstruction(now.0));
        Some(now)
    }
}

impl Md {
    pub fn line(self) -> u32 {
        unsafe { LLVMDILocationGetLine(self.0) }
    }

    pub fn column(self) -> u32 {
        unsafe { LLVMDILocationGetColumn(self.0) }
    }

    /// Scope of a location.
    pub fn scope(self) -> Option<Md> {
        handle!(Md, LLVMDILocationGetScope(self.0))
    }

    pub fn inlined_at(self) -> Option<Md> {
        handle!(Md, LLVMDILocationGetInlinedAt(self.0))
    }

    /// File of a scope.
    pub fn file(self) -> Option<Md> {
        handle!(Md, LLVMDIScopeGetFile(self.0))
    }

    /// Directory and name of a file node.
    pub fn path(self) -> (String, String) {
        unsafe {
            let mut len = 0;
            let p = LLVMDIFileGetDirectory(self.0, &mut len);
            let dir = text(p, len as usize).into_owned();
            let p = LLVMDIFileGetFilename(self.0, &mut len);
            (dir, text(p, len as usize).into_owned())
        }
    }

    pub fn is_subprogram(self) -> bool {
        matches!(
            unsafe { LLVMGetMetadataKind(self.0) },
            LLVMMetadataKind::LLVMDISubprogramMetadataKind
        )
    }

    pub fn is_lexical_block(self) -> bool {
        matches!(
            unsafe { LLVMGetMetadataKind(self.0) },
            LLVMMetadataKind::LLVMDILexicalBlockMetadataKind
                | LLVMMetadataKind::LLVMDILexicalBlockFileMetadataKind
        )
    }

    pub fn subprogram_line(self) -> u32 {
        unsafe { LLVMDISubprogramGetLine(self.0) }
    }

    /// Operands of the node, as far as `n`.
    fn operands(self, context: LLVMContextRef) -> Vec<LLVMValueRef> {
        unsafe {
            let v = LLVMMetadataAsValue(context, self.0);
            let mut all = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(v) as usize];
            LLVMGetMDNodeOperands(v, all.as_mut_ptr());
            all
        }
    }

    /// A string operand of the node.
    pub fn string(self, context: LLVMContextRef, i: usize) -> Option<String> {
        let v = *self.operands(context).get(i)?;
        if v.is_null() {
            return None;
        }
        let mut len = 0;
        let p = unsafe { LLVMGetMDString(v, &mut len) };
        (!p.is_null()).then(|| unsafe { text(p, len as usize) }.into_owned())
    }

    /// A node operand of the node.
    pub fn node(self, context: LLVMContextRef, i: usize) -> Option<Md> {
        let v = *self.operands(context).get(i)?;
        if v.is_null() {
            return None;
        }
        handle!(Md, LLVMValueAsMetadata(v))
    }
}
