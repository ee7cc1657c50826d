//! Functions with a body that the engine performs itself: they are not inlined, so that it sees
//! their calls.
//!
//! These are the functions of Rust's default allocator, those by which Rust programs hash keys and
//! iterate over hash maps, those by which tests of properties draw values, and those that check
//! whether bytes are UTF-8, or characters of a class. Inlined, the first are calls of `malloc` and
//! `free`, which know nothing of the layouts that `dealloc` and `realloc` are given, and the others
//! are arithmetic and branches.

use inkwell::llvm_sys::core::*;
use inkwell::llvm_sys::{LLVMAttributeFunctionIndex, LLVMAttributeIndex};
use inkwell::module::Module;

use symex_program::characters::class_of;
use symex_program::hashing::is_of_hashing;
use symex_program::properties::is_of_properties;
use symex_program::utf8::checks_utf8;

use super::promises::kind;
use super::walk::{all_functions, is_call, name_of, users};
use crate::demangle;

/// Part of the names of the default allocator's functions.
const DEFAULT_ALLOCATOR: &[u8] = b"__rdl_";

/// Excludes the functions of a module that the engine performs itself from inlining.
pub fn keep(module: &Module<'_>) {
    const FUNCTION: LLVMAttributeIndex = LLVMAttributeFunctionIndex;
    // SAFETY: the module is valid, and the functions are its own.
    unsafe {
        let context = LLVMGetModuleContext(module.as_mut_ptr());
        let no_inline = LLVMCreateEnumAttribute(context, kind("noinline"), 0);
        for function in all_functions(module.as_mut_ptr()) {
            if is_modelled(name_of(function)) {
                LLVMRemoveEnumAttributeAtIndex(function, FUNCTION, kind("alwaysinline"));
                LLVMAddAttributeAtIndex(function, FUNCTION, no_inline);
                // rustc marks calls as well as functions.
                for call in users(function).into_iter().filter(|&user| is_call(user)) {
                    LLVMRemoveCallSiteEnumAttribute(call, FUNCTION, kind("alwaysinline"));
                    LLVMAddCallSiteAttribute(call, FUNCTION, no_inline);
                }
            }
        }
    }
}

fn is_modelled(name: &[u8]) -> bool {
    // The names of all functions of a program are looked at: most are told apart by their bytes.
    let contains = |part: &[u8]| memchr::memmem::find(name, part).is_some();
    let is = |parts: &[&[u8]], is_one: fn(&str) -> bool| {
        parts.iter().any(|part| contains(part))
            && str::from_utf8(name).is_ok_and(|name| is_one(&demangle::display(name)))
    };
    contains(DEFAULT_ALLOCATOR)
        || is(HASHING, is_of_hashing)
        || is(PROPERTIES, is_of_properties)
        || is(UTF8, checks_utf8)
        || is(CHARACTERS, |name| class_of(name).is_some())
}

/// Part of the mangled names of functions that tell whether a character is of a class.
const CHARACTERS: &[&[u8]] = &[b"12unicode_data"];

/// Parts of the mangled names of functions that check whether bytes are UTF-8.
const UTF8: &[&[u8]] = &[b"9from_utf8", b"15from_utf8_lossy"];

/// Parts of the mangled names of functions by which tests of properties draw values and run cases.
const PROPERTIES: &[&[u8]] = &[b"11test_runner", b"16WideningMultiply", b"14UniformSampler"];

/// Parts of the mangled names of functions that hash keys or iterate over hash maps.
const HASHING: &[&[u8]] = &[
    b"8hash_one",
    b"12build_hasher",
    b"6Hasher",
    b"_hash",
    b"7HashMap",
    b"7HashSet",
    b"8RawTable",
    b"9HashTable",
];
