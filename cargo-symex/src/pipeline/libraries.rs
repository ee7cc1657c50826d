//! Locations of files that are made once for all projects: the C library in bitcode, in
//! `cargo-symex/libc` of the user's data directory or in `SYMEX_LIBC_DIR`; stored parts of crates'
//! libraries, in the user's cache directory.

use super::roles;
use crate::build::libc;
use std::path::PathBuf;
use symex_bitcode::link::LibraryFile;

/// Returns the directory of C libraries; `None` if the user has none, or has set the variable to
/// the empty string.
pub fn directory() -> Option<PathBuf> {
    directory_of("SYMEX_LIBC_DIR", "XDG_DATA_HOME", ".local/share", "libc")
}

/// Returns the directory of stored parts of crates' libraries, which all projects share; `None` if
/// the user has none, or has set the variable to the empty string.
pub fn parts_directory() -> Option<PathBuf> {
    directory_of("SYMEX_PARTS_DIR", "XDG_CACHE_HOME", ".cache", "parts")
}

/// Returns a directory of this tool: the value of a variable, or a subdirectory of one of the
/// user's directories.
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

/// Returns the C library in bitcode that programs are linked with: the one that has been set up, or
/// else the built-in one.
pub fn library() -> Option<LibraryFile> {
    let directory = directory()?;
    let libc = libc::installed(&directory)
        // If it cannot be built, its functions are undefined, and paths that call them report that.
        .or_else(|| libc::built_in(&directory, &roles::process().ok()?).ok())?;
    Some(libc.library())
}
