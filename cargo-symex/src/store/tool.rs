//! Identity of this build of the tool.

use super::Hash;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Returns device, inode number, size and time of an executable, which change when it is written.
pub(super) fn stamp(executable: &Path) -> std::io::Result<String> {
    let data = std::fs::metadata(executable)?;
    Ok(format!(
        "{} {} {} {}.{}",
        data.dev(),
        data.ino(),
        data.len(),
        data.mtime(),
        data.mtime_nsec()
    ))
}

/// Returns a hash of the executable's contents. The solver is a library beside it, and has a
/// version.
pub(super) fn identity(executable: &Path) -> std::io::Result<Hash> {
    let mut hasher = blake3::Hasher::new_derive_key("cargo symex: build of the tool");
    hasher.update_reader(File::open(executable)?)?;
    Ok(*hasher.finalize().as_bytes())
}

/// Returns a hash of this build and the solver that it runs with.
pub(super) fn with_solver(executable: &Hash) -> Hash {
    let mut hasher = blake3::Hasher::new_derive_key("cargo symex: build and solver");
    hasher.update(executable);
    hasher.update(symex_solver::version().as_bytes());
    *hasher.finalize().as_bytes()
}
