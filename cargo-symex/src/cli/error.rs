//! What makes the command itself stop: one message, perhaps a line of help, and the exit code.

use super::exit_code::ExitCode;
use super::output;
use std::path::Path;

/// An error of the command; never a fault of the program under test.
#[derive(Clone, Debug)]
pub struct CliError {
    /// Reads after "error: ".
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    pub code: ExitCode,
}

impl CliError {
    /// An error in what was typed or given.
    pub fn usage(message: impl Into<String>) -> Self {
        CliError {
            message: message.into(),
            help: None,
            code: ExitCode::Usage,
        }
    }

    /// A folder that was given to write into, and cannot be.
    pub fn unwritable(folder: &Path, error: std::io::Error) -> Self {
        CliError::usage(format!(
            "failed to write into {}: {error}",
            folder.display()
        ))
    }

    /// An error with a line of help.
    pub fn help(self, help: impl Into<String>) -> Self {
        CliError {
            help: Some(help.into()),
            ..self
        }
    }

    /// The same with another exit code.
    pub fn code(self, code: ExitCode) -> Self {
        CliError { code, ..self }
    }

    /// Writes it to standard error, as cargo writes its errors.
    pub fn print(&self) {
        output::error(&self.message);
        if let Some(help) = &self.help {
            output::help(help);
        }
    }
}
