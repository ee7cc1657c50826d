//! Source languages of functions.

use inkwell::llvm_sys::debuginfo::*;
use inkwell::llvm_sys::prelude::*;

/// Reports whether a function is compiled from Rust, by the file that its debug information names.
pub fn is_rust(function: LLVMValueRef) -> bool {
    // SAFETY: only asked of functions.
    unsafe {
        let subprogram = LLVMGetSubprogram(function);
        if subprogram.is_null() {
            return false;
        }
        let file = LLVMDIScopeGetFile(subprogram);
        if file.is_null() {
            return false;
        }
        let mut length = 0;
        let name = LLVMDIFileGetFilename(file, &mut length);
        !name.is_null()
            && std::slice::from_raw_parts(name.cast::<u8>(), length as usize).ends_with(b".rs")
    }
}
