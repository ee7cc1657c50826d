//! Replacements for functions of LLVM's C interface that not every version has, in terms of others.

use std::ffi::{CStr, c_uint};

use inkwell::context::{AsContextRef, Context};
use inkwell::llvm_sys::core::*;
#[expect(deprecated, reason = "it is what older ones have")]
use inkwell::llvm_sys::ir_reader::LLVMParseIRInContext;
use inkwell::llvm_sys::ir_reader::LLVMParseIRInContext2;
use inkwell::llvm_sys::prelude::*;
use inkwell::module::Module;

use super::trampolines::is_connected;

/// Functions that this module replaces where they are missing.
#[cfg(test)]
pub const REPLACED: [&str; 5] = [
    "LLVMParseIRInContext",
    "LLVMParseIRInContext2",
    "LLVMGetRawDataValues",
    "LLVMGetAsString",
    "LLVMGetSwitchCaseValue",
];

/// Parses LLVM's text form. The error is LLVM's message.
pub fn parse_text<'c>(context: &'c Context, text: &[u8]) -> Result<Module<'c>, String> {
    let mut module = std::ptr::null_mut();
    let mut message = std::ptr::null_mut();
    // SAFETY: the reader has a copy of the text, and what it makes belongs to the context. The
    // message is LLVM's to free.
    unsafe {
        let (start, name) = (text.as_ptr().cast(), c"module".as_ptr());
        let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(start, text.len(), name);
        let context = context.as_ctx_ref();
        let failed = if is_connected("LLVMParseIRInContext2") {
            let failed = LLVMParseIRInContext2(context, buffer, &mut module, &mut message);
            LLVMDisposeMemoryBuffer(buffer);
            failed
        } else {
            // Up to LLVM 21, the reader frees its text.
            #[expect(deprecated, reason = "it is what older ones have")]
            LLVMParseIRInContext(context, buffer, &mut module, &mut message)
        };
        if failed == 0 {
            return Ok(Module::new(module));
        }
        let said = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeMessage(message);
        Err(said)
    }
}

/// Returns the bytes of a constant data array or vector.
///
/// # Safety
/// The value is such a constant.
pub unsafe fn raw_data<'m>(constant: LLVMValueRef) -> &'m [u8] {
    let mut length = 0usize;
    // SAFETY: LLVM owns the bytes as long as the constant's context is there.
    unsafe {
        let bytes = if is_connected("LLVMGetRawDataValues") {
            // The binding declares the out-parameter by value; it is a pointer in LLVM's header.
            LLVMGetRawDataValues(constant, (&raw mut length).addr())
        } else {
            // Up to LLVM 20, under another name.
            LLVMGetAsString(constant, &mut length)
        };
        std::slice::from_raw_parts(bytes.cast::<u8>(), length)
    }
}

/// Returns the value of a switch's `case`, counted from 0 without the default.
///
/// # Safety
/// The value is a switch that has this case.
pub unsafe fn case_value(switch: LLVMValueRef, case: c_uint) -> LLVMValueRef {
    unsafe {
        if is_connected("LLVMGetSwitchCaseValue") {
            LLVMGetSwitchCaseValue(switch, case + 1)
        } else {
            // Older ones have the cases among the operands: condition, default, value, target,
            // value, target, …
            LLVMGetOperand(switch, 2 * (case + 1))
        }
    }
}
