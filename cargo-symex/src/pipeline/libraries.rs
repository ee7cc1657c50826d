//! Where what is made once for all projects is kept: the C library in bitcode, in
//! `cargo-symex/libc` of the user's data directory or where the variable `SYMEX_LIBC_DIR` says;
//! what the libraries of crates come to, in the user's cache directory.

use super::process;
use crate::build::libc;
use std::path::PathBuf;
use symex_bitcode::link::LibraryFile;

/// The directory of C libraries; `None` where the user has none, or has said so by an empty
/// variable.
pub fn directory() -> Option<PathBuf> {
    directory_of("SYMEX_LIBC_DIR", "XDG_DATA_HOME", ".local/share", "libc")
}

/// The directory of what the libraries of crates come to, which all projects share; `None` where
/// the user has none, or has said so by an empty variable.
pub fn parts_directory() -> Option<PathBuf> {
    directory_of("SYMEX_PARTS_DIR", "XDG_CACHE_HOME", ".cache", "parts")
}

/// A directory of this tool's: where a variable says, or in one of the user's directories.
fn directory_of(chosen: &str, base: &str, in_home: &str, name: &str) -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    if let Some(chosen) = variable(chosen) {
        return Some(chosen).filter(|path| !path.as_os_str().is_empty());
    }
    let absolute = |path: &PathBuf| path.is_absolute();
    let base = variable(base).filter(absolute);
    let base = base.or_else(|| Some(variable("HOME").filter(absolute)?.join(in_home)));
    Some(base?.join("cargo-symex").join(name))
}

/// The C library in bitcode that programs are linked with: the one that has been set up, or what
/// there is without that.
pub fn library() -> Option<LibraryFile> {
    let directory = directory()?;
    let libc = libc::installed(&directory)
        // Where it cannot be had, its functions are not known, and paths that call them say so.
        .or_else(|| libc::built_in(&directory, &process::process().ok()?).ok())?;
    Some(libc.library())
}
