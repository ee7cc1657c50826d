//! Programs as a bitcode process hands them over, and errors on the way there.

use super::discover::build_error;
use super::error::CliError;
use crate::build::{BitcodeProcess, BuildError};
use symex_program::{Program, store};

/// The program in these bytes.
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
