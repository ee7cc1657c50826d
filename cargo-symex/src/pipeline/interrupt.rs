//! Ctrl-C: the first stops the engines and lets what was found be reported, the second ends the
//! process.

use super::error::CommandError;
use super::exit_code::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user wants the run to end.
#[derive(Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens for Ctrl-C, unless the process was started with SIGINT ignored, as a shell does in
    /// the background: then it stays ignored, and Ctrl-C is for others.
    /// `on_first` is called when it comes for the first time.
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
            // What it is told of is no handler here, but that the signal is ignored.
            Ok(()) | Err(ctrlc::Error::MultipleHandlers) => Ok(interrupt),
            Err(error) => Err(CommandError::usage(format!(
                "failed to listen for Ctrl-C: {error}"
            ))),
        }
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
