//! Ctrl-C: the first stops the engines and lets what was found be reported, the second ends the process.

use super::error::CliError;
use super::exit_code::ExitCode;
use super::output;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user wants the run to end.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens for Ctrl-C, and for the signal that asks a process to end.
    pub fn install() -> Result<Self, CliError> {
        let interrupt = Interrupt::default();
        let flag = interrupt.0.clone();
        let handle = move || {
            if flag.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(ExitCode::Interrupted.code()));
            }
            output::note("interrupted: reporting what was found; once more to stop at once");
        };
        ctrlc::set_handler(handle)
            .map_err(|error| CliError::usage(format!("failed to listen for Ctrl-C: {error}")))?;
        Ok(interrupt)
    }

    /// The flag for the engine.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// Has it happened?
    pub fn happened(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
