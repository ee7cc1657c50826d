//! Values of `core::mem::uninitialized`, which were never written.
//!
//! std fills them with a byte of its own choice, so that old programs that use them go wrong less
//! often. For the language they are uninitialised nonetheless, and so they are here.

use inkwell::llvm_sys::prelude::*;

use super::checks::erase;
use super::walk::{instructions, is_fill, name_of};

/// Part of the names of the instances of `core::mem::uninitialized`, however they are mangled.
const NAME: &[u8] = b"4core3mem13uninitialized";

/// Makes what an instance of `core::mem::uninitialized` returns undefined, if the function is one.
pub fn drop_fill(function: LLVMValueRef) {
    if memchr::memmem::find(name_of(function), NAME).is_some() {
        let fills = instructions(function).into_iter().filter(|&i| is_fill(i));
        fills.for_each(erase);
    }
}
