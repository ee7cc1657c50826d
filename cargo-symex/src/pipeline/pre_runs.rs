//! Pre-runs of a harness, as a source of inputs for its exploration: they are made on a thread,
//! beside it.

use super::explore::RunContext;
use super::words::words;
use crate::confirm::Confirm;
use crate::confirm::confinement::Rights;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use symex_abi::pre_runs::Order;
use symex_engine::{Entry, GivenInputs, InputSource, Job};

/// Time that the exploration may take without them.
const DELAY: Duration = Duration::from_millis(300);

/// Greatest time for all runs, in milliseconds.
const MOST_TIME: u64 = 1000;

/// Part of the time limit of a harness that they may take.
const SHARE: u32 = 20;

/// Time for a single run.
const LONGEST_RUN: Duration = Duration::from_millis(200);

/// The pre-runs of one harness.
pub(super) struct PreRuns {
    confirm: Arc<dyn Confirm>,
    context: RunContext,
    order: Option<Box<dyn FnOnce() -> Order + Send>>,
    /// Tells the thread not to wait; if it is dropped, not to make any runs.
    go: Option<Sender<()>>,
    found: Option<Receiver<Vec<GivenInputs>>>,
}

impl PreRuns {
    /// Prepares the pre-runs of a job; `None` if none are to be made.
    pub fn of(job: &Job, confirm: &Arc<dyn Confirm>, context: &RunContext) -> Option<Self> {
        let Entry::Harness(entry) = job.entry else {
            return None;
        };
        if job.config.pre_runs == 0 || context.settings.replay == Rights::Off {
            return None;
        }
        let limit = job.config.limits.timeout.map(|limit| limit / SHARE);
        let milliseconds = limit.map_or(MOST_TIME, |limit| limit.as_millis() as u64);
        let (program, seed, end) = (job.program.clone(), job.config.seed, job.config.pre_runs);
        let order = move || Order {
            seed,
            first: 0,
            end,
            milliseconds: milliseconds.min(MOST_TIME),
            longest_run: LONGEST_RUN.as_millis() as u64,
            words: words(&program, entry),
        };
        Some(PreRuns {
            confirm: confirm.clone(),
            context: context.clone(),
            order: Some(Box::new(order)),
            go: None,
            found: None,
        })
    }
}

impl InputSource for PreRuns {
    fn start(&mut self) {
        let Some(order) = self.order.take() else {
            return;
        };
        let (confirm, context) = (self.confirm.clone(), self.context.clone());
        let (go, going) = channel();
        let (tell, found) = channel();
        let make = move || {
            if going.recv_timeout(DELAY) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
            context.warn_of_rights();
            // The exploration may have ended.
            let _ = tell.send(confirm.pre_runs(order()));
        };
        (self.go, self.found) = (Some(go), Some(found));
        let thread = std::thread::Builder::new().name("symex-pre-runs".to_owned());
        // Where there is no thread, nothing is found.
        let _ = thread.spawn(make);
    }

    fn take(&mut self, most: Duration) -> Option<Vec<GivenInputs>> {
        if let Some(go) = self.go.take() {
            // The thread may have begun by itself.
            let _ = go.send(());
        }
        match self.found.as_ref()?.recv_timeout(most) {
            Ok(found) => Some(found),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(Vec::new()),
        }
    }
}
