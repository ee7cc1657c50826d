//! From linked bitcode to a program: translated once, then read back from a file beside the bitcode.
//!
//! The name of linked bitcode tells its contents and the build of the tool, so a stored program is never stale; one
//! that cannot be used is translated anew. That it cannot be stored is no error.

use super::error::CliError;
use crate::bitcode;
use crate::program::{Program, store};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// The program in linked bitcode.
pub fn load(linked: &Path, use_cache: bool) -> Result<Arc<Program>, CliError> {
    let stored = linked.with_extension("program");
    if use_cache
        && let Ok(bytes) = std::fs::read(&stored)
        && let Ok(program) = store::load(&bytes)
    {
        return Ok(Arc::new(program));
    }
    let program = bitcode::translate_file(linked)
        .map_err(|error| CliError::usage(format!("failed to {error}")))?;
    keep(&program, &stored);
    Ok(Arc::new(program))
}

/// Written under another name and renamed, so that nobody reads half of it.
fn keep(program: &Program, path: &Path) {
    let Ok(bytes) = store::save(program) else {
        return;
    };
    let dir = path.parent().unwrap_or(Path::new("."));
    if let Ok(mut file) = tempfile::NamedTempFile::new_in(dir)
        && file.write_all(&bytes).is_ok()
    {
        let _ = file.persist(path);
    }
}
