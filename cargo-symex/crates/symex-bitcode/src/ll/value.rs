//! Handles of values: constants, globals, functions, instructions.

use super::*;
use symex_program::Ordering;

impl V {
    /// Reports whether a function is compiled from Rust.
    pub fn is_rust(self) -> bool {
        super::language::is_rust(self.0)
    }

    pub fn kind(self) -> ValueKind {
        unsafe { kinds::value_kind(self.0) }
    }

    pub fn ty(self) -> T {
        T(unsafe { LLVMTypeOf(self.0) })
    }

    pub fn name(self) -> String {
        let mut len = 0;
        unsafe { text(LLVMGetValueName2(self.0, &mut len), len) }.into_owned()
    }

    /// Reports whether the name starts with `llvm.`.
    pub fn has_llvm_name(self) -> bool {
        let mut len = 0;
        unsafe { text(LLVMGetValueName2(self.0, &mut len), len) }.starts_with("llvm.")
    }

    /// Reports whether the function of this name is the hook of a check.
    pub fn is_check(self) -> bool {
        let mut len = 0;
        unsafe { text(LLVMGetValueName2(self.0, &mut len), len) }
            .starts_with(super::super::passes::PREFIX)
    }

    /// Reports whether an instruction carries metadata of the kind with this number.
    pub fn has_metadata(self, kind: u32) -> bool {
        // SAFETY: any instruction may be asked.
        self.is_instruction() && unsafe { !LLVMGetMetadata(self.0, kind).is_null() }
    }

    /// Reports whether the value is the result of an instruction.
    pub fn is_instruction(self) -> bool {
        unsafe { !LLVMIsAInstruction(self.0).is_null() }
    }

    /// Reports whether anything uses the value.
    pub fn is_used(self) -> bool {
        unsafe { !LLVMGetFirstUse(self.0).is_null() }
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

    /// Returns the opcode of an instruction or a constant expression.
    pub fn opcode(self) -> Opcode {
        unsafe {
            match self.is_instruction() {
                true => kinds::opcode(self.0),
                false => kinds::constant_opcode(self.0),
            }
        }
    }

    /// Returns LLVM's own text of it (slow; for what the C interface does not provide).
    pub fn print(self) -> String {
        unsafe {
            let raw = LLVMPrintValueToString(self.0);
            let s = CStr::from_ptr(raw).to_string_lossy().into_owned();
            LLVMDisposeMessage(raw);
            s
        }
    }

    /// Returns the name of an instruction in LLVM's text form: the first word that is not the name
    /// of its result.
    pub fn mnemonic(self) -> String {
        let text = self.print();
        let text = text.trim_start();
        let operation = match text.split_once(" = ") {
            Some((result, operation)) if result.starts_with('%') => operation,
            _ => text,
        };
        let word = operation.split_whitespace().next();
        word.unwrap_or("of unknown name").to_owned()
    }

    // Constants.

    /// Returns the low 64 bits of a constant integer.
    pub fn int_low(self) -> u64 {
        unsafe { LLVMConstIntGetZExtValue(self.0) }
    }

    /// Returns a constant of the same bits and another type, where LLVM can fold it.
    pub fn const_bitcast(self, t: T) -> V {
        V(unsafe { LLVMConstBitCast(self.0, t.0) })
    }

    /// Returns an element of a constant aggregate of any kind, or `None`.
    pub fn aggregate_element(self, i: u32) -> Option<V> {
        handle!(V, LLVMGetAggregateElement(self.0, i))
    }

    /// Returns the bytes of a constant data array or vector.
    pub fn raw_data(self) -> Vec<u8> {
        unsafe { compat::raw_data(self.0) }.to_vec()
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

    /// Returns the type of a global's, alias's or function's value.
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
        unsafe { kinds::linkage(self.0) }
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

    /// Returns the stated alignment of a global, alloca, load, store or atomic; 0 if none.
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

    /// Returns the value of the `i`th case of a switch; the default is not counted.
    pub fn case_value(self, i: u32) -> V {
        V(unsafe { compat::case_value(self.0, i) })
    }

    /// Returns the condition of a conditional branch.
    pub fn condition(self) -> V {
        V(unsafe { LLVMGetCondition(self.0) })
    }

    pub fn int_predicate(self) -> IntPredicate {
        unsafe { kinds::int_predicate(self.0) }
    }

    /// Returns LLVM's number of a float predicate, 0 to 15.
    pub fn float_predicate(self) -> u32 {
        unsafe { kinds::float_predicate(self.0) }
    }

    pub fn gep_source(self) -> T {
        T(unsafe { LLVMGetGEPSourceElementType(self.0) })
    }

    pub fn allocated_type(self) -> T {
        T(unsafe { LLVMGetAllocatedType(self.0) })
    }

    /// Returns the indices of `extractvalue` and `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        unsafe {
            let n = LLVMGetNumIndices(self.0) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(self.0), n).to_vec()
        }
    }

    /// Returns the lanes that a `shufflevector` picks; `None` is poison.
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

    /// Returns the ordering of a load, store, fence or atomic read-modify-write.
    pub fn ordering(self) -> Ordering {
        unsafe { kinds::ordering(self.0) }
    }

    /// Returns the orderings of a compare-and-exchange: where it exchanges, and where not.
    pub fn exchange_orderings(self) -> [Ordering; 2] {
        unsafe { kinds::exchange_orderings(self.0) }
    }

    pub fn rmw_op(self) -> RmwOp {
        unsafe { kinds::rmw_op(self.0) }
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

    /// Returns the function type with which a call calls its callee.
    pub fn called_type(self) -> T {
        T(unsafe { LLVMGetCalledFunctionType(self.0) })
    }

    /// Returns the string, if this is a metadata string argument (of LLVM's own functions).
    pub fn metadata_text(self) -> Option<String> {
        if !matches!(self.kind(), ValueKind::MetadataAsValue) {
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

    /// Reports whether this is inline assembly in Intel's syntax, with what is written first.
    pub fn is_intel_asm(self) -> bool {
        unsafe {
            !LLVMIsAInlineAsm(self.0).is_null()
                && LLVMGetInlineAsmDialect(self.0)
                    == inkwell::llvm_sys::LLVMInlineAsmDialect::LLVMInlineAsmDialectIntel
        }
    }

    /// Returns template and constraints, if this is inline assembly.
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
