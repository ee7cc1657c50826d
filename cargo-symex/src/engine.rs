//! Layer 8: wires settings to searcher, solver chain, memory and models, and runs one harness. The one place that
//! chooses implementations.

use crate::config::Config;
use crate::event::Observer;
use crate::outcome::Outcome;
use crate::program::{FuncId, Program};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// One harness to explore.
pub struct Job {
    pub program: Arc<Program>,
    /// Function to call.
    pub entry: Entry,
    pub config: Config,
    /// A panic that leaves the entry is what is wanted; a normal return is the failure. Some text: the panic's message must contain it.
    pub should_panic: Option<String>,
    /// Default length bound of collections is the runtime's business; nothing of it here.
    /// Set from outside to stop soon, keeping what was found.
    pub stop: Arc<AtomicBool>,
}

/// How the entry is called.
#[derive(Clone, Debug)]
pub enum Entry {
    /// `fn()`.
    Harness(FuncId),
    /// C's `main(argc, argv, envp)` with these arguments (program name first).
    Main(FuncId, Vec<String>),
}

/// Explores all paths of a job within its limits.
pub fn explore(job: &Job, observer: &mut dyn Observer) -> Outcome {
    let _ = (job, observer);
    todo!()
}
