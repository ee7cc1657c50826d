//! Inputs that are given from outside, since they are known to be worth following, such as those
//! that made a native run fail.
//!
//! They are followed when the exploration has done a certain amount of work, so that one that ends
//! soon does without. Work is counted and not timed: what a run finds is then independent of the
//! machine and its load.

use super::search::work_of;
use super::{Entry, Job, follow};
use crate::exec::Executor;
use std::time::Duration;

/// The inputs of one path, in the order in which the program asks for them: the bytes of each, as
/// they are in a finding.
pub type GivenInputs = Vec<Vec<u8>>;

/// A source of inputs.
pub trait InputSource {
    /// Begins to look for inputs, beside the exploration. If the source is dropped soon, it need
    /// not have done anything.
    fn start(&mut self);

    /// Waits for the inputs, at most for this time, and returns them; `None` if they are not found
    /// yet.
    fn take(&mut self, most: Duration) -> Option<Vec<GivenInputs>>;
}

/// Work after which the exploration waits for the inputs, and follows them.
const ENOUGH: u64 = 400_000;

/// Time between two looks at the limits, while the exploration waits.
const TICK: Duration = Duration::from_millis(5);

/// The findings on given inputs, before the exploration comes to them.
pub(super) struct Foresight<'a> {
    job: &'a Job,
    source: Option<Box<dyn InputSource>>,
}

impl<'a> Foresight<'a> {
    /// Makes the foresight of a run. Only harnesses are given inputs: those of a `main` are more
    /// than what it draws.
    pub(super) fn new(job: &'a Job, source: Option<Box<dyn InputSource>>) -> Self {
        let mut source = source.filter(|_| !matches!(job.entry, Entry::Main(..)));
        if let Some(source) = &mut source {
            source.start();
        }
        Foresight { job, source }
    }

    /// Reports whether inputs may still come, for which the exploration's work is counted.
    pub(super) fn is_open(&self) -> bool {
        self.source.is_some()
    }

    /// Follows the inputs, if it is time to. What is found on the way is added to the results.
    pub(super) fn look(&mut self, executor: &mut Executor) {
        let Some(source) = &mut self.source else {
            return;
        };
        if work_of(executor) < ENOUGH {
            return;
        }
        let inputs = loop {
            // It is not they that the run ends for.
            if executor.queries.out_of_time() {
                return;
            }
            if let Some(inputs) = source.take(TICK) {
                break inputs;
            }
        };
        self.source = None;
        if !inputs.is_empty() {
            executor.outcomes.stats.followed += inputs.len() as u64;
            let findings = follow::follow(self.job, inputs, executor.queries.alarm.deadline());
            executor.outcomes.stats.foretold += executor.outcomes.foretell(findings);
        }
    }
}
