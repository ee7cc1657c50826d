//! What the workers of a cluster are told of a harness.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use symex_engine::{Entry, ExpectedPanic, Job};
use symex_program::Program;
use symex_types::config::{Config, Limits, Merging};

/// A harness to explore, without its program, which is kept by its hash.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct JobOfRun {
    pub program: [u8; 32],
    entry: Entry,
    pub config: Config,
    should_panic: Option<ExpectedPanic>,
}

impl JobOfRun {
    /// Makes what is told of a job. The limits on all paths together are for the coordinator to
    /// hold.
    pub fn of(job: &Job, program: [u8; 32]) -> Self {
        let mut config = job.config.clone();
        config.limits = Limits {
            timeout: None,
            max_paths: None,
            max_instructions: None,
            max_queries: None,
            stop_at_first_bug: false,
            after_bug: None,
            ..config.limits
        };
        config.merging = Merging::Off;
        JobOfRun {
            program,
            entry: job.entry.clone(),
            config,
            should_panic: job.should_panic.clone(),
        }
    }

    /// Returns the job, for a process with so many bytes of memory.
    pub fn job(self, program: Arc<Program>, memory: Option<u64>, stop: Arc<AtomicBool>) -> Job {
        let mut config = self.config;
        config.limits.max_memory = memory;
        let mut job = Job::new(program, self.entry, config);
        job.should_panic = self.should_panic;
        job.stop = stop;
        job
    }
}
