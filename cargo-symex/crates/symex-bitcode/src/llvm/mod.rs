//! The LLVM library: loaded at run time out of the Rust toolchain whose bitcode is to be read.
//!
//! A library is loaded once per process, before any other LLVM function is called; [`require`]
//! ensures this. The differences between versions of LLVM are in [`kinds`] and `compat.rs`, and
//! nowhere else.

pub mod compat;
pub mod kinds;
pub(crate) mod language;
mod probe;
mod trampolines;

use std::ffi::c_void;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::toolchain::Toolchain;

/// Reason why there is no LLVM. The texts follow "failed to".
#[derive(Clone, Debug, thiserror::Error)]
pub enum LlvmError {
    #[error("find LLVM: {0}")]
    Missing(String),
    #[error("load LLVM from {path}: {reason}", path = path.display())]
    Unusable { path: PathBuf, reason: String },
}

/// A version of LLVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// The LLVM loaded in this process.
struct LoadedLlvm {
    version: Version,
    /// Library handle, never closed: trampolines point into it.
    _library: libloading::Library,
}

static LLVM: OnceLock<Result<LoadedLlvm, LlvmError>> = OnceLock::new();

/// Oldest supported LLVM version: that of Rust 1.88.
const OLDEST: u32 = 20;

/// Loads the library of this file, unless one is loaded already, which then stays.
pub fn load(file: &Path) -> Result<Version, LlvmError> {
    let loaded = LLVM.get_or_init(|| open(file));
    loaded
        .as_ref()
        .map(|llvm| llvm.version)
        .map_err(Clone::clone)
}

/// Ensures that an LLVM is loaded: the one loaded before, or else that of the toolchain on the
/// path.
pub fn require() -> Result<Version, LlvmError> {
    let loaded = LLVM.get_or_init(|| {
        let toolchain = Toolchain::on_path(None).map_err(LlvmError::Missing)?;
        open(&toolchain.libllvm().map_err(LlvmError::Missing)?)
    });
    loaded
        .as_ref()
        .map(|llvm| llvm.version)
        .map_err(Clone::clone)
}

/// Returns the version of the loaded LLVM; `None` before it is loaded.
pub fn version() -> Option<Version> {
    Some(LLVM.get()?.as_ref().ok()?.version)
}

fn open(file: &Path) -> Result<LoadedLlvm, LlvmError> {
    let unusable = |reason: String| LlvmError::Unusable {
        path: file.to_owned(),
        reason,
    };
    // SAFETY: LLVM's constructors register options and nothing else.
    let library = unsafe { libloading::Library::new(file) };
    let library = library.map_err(|error| unusable(error.to_string()))?;
    trampolines::connect(|name| {
        // SAFETY: the symbol is only taken as an address.
        let found = unsafe { library.get::<*mut c_void>(name.as_bytes()) };
        unsafe { found.ok()?.try_as_raw_ptr() }
    });
    if !trampolines::is_connected("LLVMGetVersion") {
        return Err(unusable("it is no LLVM that says its version".to_owned()));
    }
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: the function was found.
    unsafe { inkwell::llvm_sys::core::LLVMGetVersion(&mut major, &mut minor, &mut patch) };
    let version = Version {
        major,
        minor,
        patch,
    };
    if major < OLDEST {
        let reason = format!(
            "it is LLVM {version}; Rust 1.88, with LLVM {OLDEST}, is the oldest that works"
        );
        return Err(unusable(reason));
    }
    Ok(LoadedLlvm {
        version,
        _library: library,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_toolchain_on_the_path_has_an_llvm_with_every_function_that_is_called() {
        let version = require().expect("a toolchain with LLVM");
        assert!(version.major >= OLDEST);
        assert_eq!(super::version(), Some(version));
        let called = called_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        assert!(called.contains("LLVMLinkModules2"));
        let is_absent = |name: &&String| {
            trampolines::NAMES.contains(&name.as_str()) && !trampolines::is_connected(name)
        };
        let absent: Vec<&String> = called.iter().filter(is_absent).collect();
        let replaced = |name: &&&String| !compat::REPLACED.contains(&name.as_str());
        assert_eq!(absent.iter().filter(replaced).count(), 0, "{absent:?}");
    }

    /// Returns the words in the sources of a folder that begin as LLVM's functions do.
    fn called_in(folder: &Path) -> std::collections::BTreeSet<String> {
        let mut words = std::collections::BTreeSet::new();
        for entry in std::fs::read_dir(folder)
            .expect("a folder of sources")
            .flatten()
        {
            let path = entry.path();
            if path.ends_with("trampolines.rs") {
                continue;
            }
            if path.is_dir() {
                words.extend(called_in(&path));
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a source");
            let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let all = text.split(|c| !is_part(c));
            words.extend(
                all.filter(|word| word.starts_with("LLVM"))
                    .map(str::to_owned),
            );
        }
        words
    }
}
