//! Ctrl-C handling: the first stops the engines and lets the findings so far be reported, the
//! second ends the process.

use super::error::CommandError;
use super::exit_code::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flag that tells whether the user has interrupted the run.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Handles Ctrl-C, unless the process was started with SIGINT ignored, as a shell does in the
    /// background: then it stays ignored. `on_first` is called at the first Ctrl-C.
    pub fn install(on_first: impl Fn() + Send + 'static) -> Result<Self, CommandError> {
        let interrupt = Interrupt::default();
        let flag = interrupt.0.clone();
        let handle = move || {
            if flag.swap(true, Ordering::SeqCst) {
                std::process::exit(i32::from(ExitCode::Interrupted.code()));
            }
            on_first();
        };
        match ctrlc::try_set_handler(handle) {
            // `MultipleHandlers` means here that the signal is ignored, not that there is a
            // handler.
            Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(interrupt),
            Err(error) => Err(CommandError::usage(format!(
                "failed to listen for Ctrl-C: {error}"
            ))),
        }
    }

    /// Returns the flag for the engine.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// Reports whether Ctrl-C was pressed.
    pub fn happened(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
