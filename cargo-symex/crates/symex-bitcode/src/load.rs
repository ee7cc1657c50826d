//! Loading of files: reads LLVM bitcode or textual IR and passes the module to the translation.
//!
//! Input that LLVM cannot read, and modules for other targets than 64-bit little-endian ones, are a
//! [`LoadError`]; never a panic.

use super::llvm;
use super::module::translate_module;
use super::passes;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use serde::{Deserialize, Serialize};
use std::path::Path;
use symex_program::Program;

/// Reason why there is no program. The texts follow "failed to".
#[derive(Debug, thiserror::Error, Serialize, Deserialize)]
pub enum LoadError {
    /// No LLVM to read with. The text is that of an [`llvm::LlvmError`].
    #[error("{0}")]
    NoLlvm(String),
    #[error("read {name}: {reason}")]
    Read { name: String, reason: String },
    #[error("parse {name} as LLVM bitcode: {message}")]
    Parse { name: String, message: String },
    #[error("accept {name} as valid LLVM bitcode: {message}")]
    Invalid { name: String, message: String },
    #[error("translate a module for this target: {0}")]
    Target(String),
    #[error("translate the module: {0}")]
    Broken(String),
}

/// Reads and translates a file of bitcode or textual IR.
pub fn translate_file(path: impl AsRef<Path>) -> Result<Program, LoadError> {
    let path = path.as_ref();
    translate_ir(&read(path)?, &path.display().to_string())
}

/// Reads the bytes of a file.
pub fn read(path: &Path) -> Result<Vec<u8>, LoadError> {
    std::fs::read(path).map_err(|error| LoadError::Read {
        name: path.display().to_string(),
        reason: error.to_string(),
    })
}

/// Translates bitcode or textual IR; the name is for messages.
pub fn translate_ir(bytes: &[u8], name: &str) -> Result<Program, LoadError> {
    with_module(bytes, name, translate_module)?
}

/// Calls a function with the module that bitcode or textual IR holds; the name is for messages.
pub fn with_module<T>(
    bytes: &[u8],
    name: &str,
    what: impl FnOnce(&Module<'_>) -> T,
) -> Result<T, LoadError> {
    if bytes.is_empty() {
        return Err(LoadError::Parse {
            name: name.to_owned(),
            message: "the file is empty".to_owned(),
        });
    }
    llvm::require().map_err(|error| LoadError::NoLlvm(error.to_string()))?;
    let context = Context::create();
    let bitcode = bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(&[0xde, 0xc0, 0x17, 0x0b]);
    let module = if bitcode {
        let buffer = MemoryBuffer::create_from_memory_range_copy(bytes, "module");
        Module::parse_bitcode_from_buffer(&buffer, &context).map_err(|error| error.to_string())
    } else {
        llvm::compat::parse_text(&context, bytes)
    };
    let module = module.map_err(|message| LoadError::Parse {
        name: name.to_owned(),
        message: message.lines().next().unwrap_or_default().to_owned(),
    })?;
    passes::verify(&module).map_err(|message| LoadError::Invalid {
        name: name.to_owned(),
        message,
    })?;
    Ok(what(&module))
}
