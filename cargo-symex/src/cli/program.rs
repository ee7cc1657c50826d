//! From bitcode to a program: linked bitcode is translated once, then read back from a file beside it.
//!
//! The name of linked bitcode tells its contents and the build of the tool, so a stored program is never stale; one
//! that cannot be used is translated anew. That it cannot be stored is no error. LLVM works in another process, which
//! hands programs over as they are stored.

use super::discover::build_error;
use super::error::CliError;
use crate::bitcode::link::ProgramInfo;
use crate::build::{BitcodeProcess, BuildError};
use crate::program::{Program, store};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

/// The program in linked bitcode.
pub fn load(
    linked: &Path,
    info: &ProgramInfo,
    use_cache: bool,
    process: &BitcodeProcess,
) -> Result<Arc<Program>, CliError> {
    let program = stored_or_translated(linked, use_cache, process)?;
    Ok(Arc::new(Program {
        library: info.library.clone(),
        native: info.native(),
        ..program
    }))
}

fn stored_or_translated(
    linked: &Path,
    use_cache: bool,
    process: &BitcodeProcess,
) -> Result<Program, CliError> {
    let stored = linked.with_extension("program");
    if use_cache
        && let Ok(bytes) = std::fs::read(&stored)
        && let Ok(program) = store::load(&bytes)
    {
        return Ok(program);
    }
    let bytes = process.translate(linked).map_err(error)?;
    let program = translated(&bytes)?;
    keep(&bytes, &stored);
    Ok(program)
}

/// The program that a bitcode process handed over.
pub fn translated(bytes: &[u8]) -> Result<Program, CliError> {
    store::load(bytes).map_err(|error| CliError::usage(format!("failed to {error}")))
}

/// The bitcode process of this tool.
pub fn process() -> Result<BitcodeProcess, CliError> {
    super::executable().map(BitcodeProcess::new)
}

/// An error of linking or translating as the user sees it.
pub fn error(error: BuildError) -> CliError {
    match error {
        BuildError::Translate(error) => CliError::usage(format!("failed to {error}")),
        error => build_error(error),
    }
}

/// Written under another name and renamed, so that nobody reads half of it.
fn keep(bytes: &[u8], path: &Path) {
    let dir = path.parent().unwrap_or(Path::new("."));
    if let Ok(mut file) = tempfile::NamedTempFile::new_in(dir)
        && file.write_all(bytes).is_ok()
    {
        let _ = file.persist(path);
    }
}
