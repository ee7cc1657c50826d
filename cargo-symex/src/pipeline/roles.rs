//! Access to the other roles of this executable, and decoding of the programs that the bitcode
//! process returns.

use super::error::CommandError;
use crate::build::BitcodeProcess;
use crate::confirm::confinement::Rights;
use crate::confirm::launch::Launcher;
use std::path::{Path, PathBuf};
use symex_engine::models;
use symex_program::{Program, store};

/// Decodes the program in these bytes.
pub fn translated(bytes: &[u8]) -> Result<Program, CommandError> {
    let program = store::load(bytes);
    let mut program = program.map_err(|error| CommandError::usage(format!("failed to {error}")))?;
    models::declare_looked_up(&mut program);
    Ok(program)
}

/// Returns the bitcode process of this tool.
pub fn process() -> Result<BitcodeProcess, CommandError> {
    executable().map(BitcodeProcess::new)
}

/// Returns the launcher of native runs with these rights.
pub fn launcher(rights: Rights) -> Result<Launcher, CommandError> {
    Ok(Launcher::new(executable()?, rights))
}

/// Returns the executable of this process, which also plays other roles. If possible, the result
/// names the file itself, because its path may refer to another version by now, or to nothing.
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
