//! The process that reads bitcode, and programs as it hands them over.

use super::error::CommandError;
use crate::build::BitcodeProcess;
use std::path::{Path, PathBuf};
use symex_program::{Program, store};

/// The program in these bytes.
pub fn translated(bytes: &[u8]) -> Result<Program, CommandError> {
    store::load(bytes).map_err(|error| CommandError::usage(format!("failed to {error}")))
}

/// The bitcode process of this tool.
pub fn process() -> Result<BitcodeProcess, CommandError> {
    executable().map(BitcodeProcess::new)
}

/// The executable of this process, which also plays other parts. Where the system has a name for
/// the file itself, that is what is returned: by its path there may be another version already, or
/// nothing.
pub fn executable() -> Result<PathBuf, CommandError> {
    let itself = Path::new("/proc/self/exe");
    if itself.exists() {
        return Ok(itself.to_owned());
    }
    std::env::current_exe().map_err(|error| {
        CommandError::usage(format!(
            "failed to find the executable of cargo-symex: {error}"
        ))
    })
}
