//! Probe for the numbers that the loaded LLVM has for kinds of value and of debug information.
//!
//! LLVM inserts new kinds between the old ones: 23 has another number for null than 22. So one
//! value of each kind is made, by LLVM's text form, which is stable, and asked for its number.

use std::ffi::c_char;
use std::sync::OnceLock;

use inkwell::context::{AsContextRef, Context};
use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;
use inkwell::module::Module;
use rustc_hash::FxHashMap;

use super::compat;
use super::kinds::{ValueKind, metadata_kind, value_kind_number};

/// Numbers of one LLVM.
pub struct LlvmNumbers {
    values: FxHashMap<u32, ValueKind>,
    pub subprogram: u32,
    pub lexical_blocks: [u32; 2],
}

impl LlvmNumbers {
    pub fn value_kind(&self, number: u32) -> ValueKind {
        let known = self.values.get(&number).copied();
        known.unwrap_or(ValueKind::Unknown)
    }
}

/// Returns the numbers of the loaded LLVM.
pub fn numbers() -> &'static LlvmNumbers {
    static NUMBERS: OnceLock<LlvmNumbers> = OnceLock::new();
    NUMBERS.get_or_init(|| {
        let context = Context::create();
        let module = module(&context);
        let [subprogram, block, file_block] = debug_information(&module);
        LlvmNumbers {
            values: values(&context, &module),
            subprogram,
            lexical_blocks: [block, file_block],
        }
    })
}

/// Module with one constant of each kind as the value of a variable, a function with an
/// instruction, and an alias.
const TEXT: &str = r#"
@variable = global i32 0
@ConstantInt = global i32 7
@ConstantFP = global double 1.0
@ConstantPointerNull = global ptr null
@Undef = global i32 undef
@Poison = global i32 poison
@ConstantAggregateZero = global [2 x i32] zeroinitializer
@ConstantDataArray = global [2 x i8] c"ab"
@ConstantDataVector = global <2 x i32> <i32 1, i32 2>
@ConstantArray = global [1 x ptr] [ptr @variable]
@ConstantStruct = global { i32, ptr } { i32 1, ptr @variable }
@ConstantVector = global <2 x ptr> <ptr @variable, ptr null>
@ConstantExpr = global i64 ptrtoint (ptr @variable to i64)
@BlockAddress = global ptr blockaddress(@function, %block)
@alias = alias i32, ptr @variable
@ifunc = ifunc void (), ptr @resolver
define ptr @resolver() {
  ret ptr null
}
define void @function(i32 %argument) {
  br label %block
block:
  call void asm "", ""()
  ret void
}
"#;

/// Constants of [`TEXT`], by the names of the variables that hold them.
const CONSTANTS: [(&str, ValueKind); 13] = [
    ("ConstantInt", ValueKind::ConstantInt),
    ("ConstantFP", ValueKind::ConstantFP),
    ("ConstantPointerNull", ValueKind::ConstantPointerNull),
    ("Undef", ValueKind::Undef),
    ("Poison", ValueKind::Poison),
    ("ConstantAggregateZero", ValueKind::ConstantAggregateZero),
    ("ConstantDataArray", ValueKind::ConstantDataArray),
    ("ConstantDataVector", ValueKind::ConstantDataVector),
    ("ConstantArray", ValueKind::ConstantArray),
    ("ConstantStruct", ValueKind::ConstantStruct),
    ("ConstantVector", ValueKind::ConstantVector),
    ("ConstantExpr", ValueKind::ConstantExpr),
    ("BlockAddress", ValueKind::BlockAddress),
];

fn module(context: &Context) -> Module<'_> {
    let module = compat::parse_text(context, TEXT.as_bytes());
    module.expect("every LLVM reads these forms")
}

fn values(context: &Context, module: &Module<'_>) -> FxHashMap<u32, ValueKind> {
    let mut values = FxHashMap::default();
    let mut add = |value: LLVMValueRef, kind: ValueKind| {
        // SAFETY: a value of the module, or of its context.
        values.insert(unsafe { value_kind_number(value) }, kind);
    };
    let raw = module.as_mut_ptr();
    // SAFETY: the names are those of `TEXT`; what is walked over is there.
    unsafe {
        let variable = |name: &str| {
            let name = std::ffi::CString::new(name).expect("a name without NUL");
            LLVMGetNamedGlobal(raw, name.as_ptr())
        };
        for (name, kind) in CONSTANTS {
            add(LLVMGetInitializer(variable(name)), kind);
        }
        add(variable("variable"), ValueKind::GlobalVariable);
        add(LLVMGetFirstGlobalAlias(raw), ValueKind::GlobalAlias);
        add(LLVMGetFirstGlobalIFunc(raw), ValueKind::GlobalIFunc);
        let function = LLVMGetNamedFunction(raw, c"function".as_ptr());
        add(function, ValueKind::Function);
        add(LLVMGetParam(function, 0), ValueKind::Argument);
        let block = LLVMGetLastBasicBlock(function);
        add(LLVMBasicBlockAsValue(block), ValueKind::BasicBlock);
        let call = LLVMGetFirstInstruction(block);
        add(call, ValueKind::Instruction);
        add(LLVMGetCalledValue(call), ValueKind::InlineAsm);
        let context = context.as_ctx_ref();
        let text = LLVMMDStringInContext2(context, c"".as_ptr(), 0);
        add(
            LLVMMetadataAsValue(context, text),
            ValueKind::MetadataAsValue,
        );
    }
    values
}

/// Returns the numbers of a function's node, of a block's, and of a block's in another file.
fn debug_information(module: &Module<'_>) -> [u32; 3] {
    const NAME: *const c_char = c"probe".as_ptr();
    const LENGTH: usize = 5;
    // SAFETY: each node is made from those before it, in one module.
    unsafe {
        let builder = LLVMCreateDIBuilder(module.as_mut_ptr());
        let file = LLVMDIBuilderCreateFile(builder, NAME, LENGTH, NAME, LENGTH);
        let mut none: [LLVMMetadataRef; 1] = [std::ptr::null_mut()];
        let ty = LLVMDIBuilderCreateSubroutineType(builder, file, none.as_mut_ptr(), 0, 0);
        let function = LLVMDIBuilderCreateFunction(
            builder, file, NAME, LENGTH, NAME, LENGTH, file, 1, ty, 0, 0, 1, 0, 0,
        );
        let block = LLVMDIBuilderCreateLexicalBlock(builder, function, file, 1, 1);
        let file_block = LLVMDIBuilderCreateLexicalBlockFile(builder, function, file, 0);
        let numbers = [function, block, file_block].map(|node| metadata_kind(node));
        LLVMDisposeDIBuilder(builder);
        numbers
    }
}
