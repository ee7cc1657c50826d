//! Events of a run for reports, in the order of the report, and notices about its progress, as it
//! happens.
//!
//! A further form of report is one more [`Reporter`].

use super::HarnessReport;
use super::exit_code::ExitCode;
use crate::harness::TestHarness;
use std::time::Duration;
use symex_types::outcome::tree::Tree;

/// An event of a run, sent by one thread; harnesses come in the order of their names, whatever
/// order they end in.
#[derive(Clone, Copy)]
pub enum RunEvent<'a> {
    /// The run starts with these harnesses; `#[ignore]` leaves out the others.
    RunStarted {
        harnesses: &'a [TestHarness],
        ignored: &'a [TestHarness],
    },
    HarnessFinished(&'a HarnessReport),
    /// The run was interrupted before this harness was started.
    HarnessNotRun(&'a TestHarness),
    RunFinished(Summary<'a>),
}

/// The summary at the end of a run.
#[derive(Clone, Copy)]
pub struct Summary<'a> {
    pub reports: &'a [HarnessReport],
    pub not_run: usize,
    pub ignored: usize,
    pub filtered_out: usize,
    pub code: ExitCode,
    pub interrupted: bool,
}

/// A form of report.
pub trait Reporter {
    /// Takes the next event.
    fn event(&mut self, event: RunEvent<'_>);
}

/// A notice about progress, or a warning that is not part of the report.
pub enum Notice<'a> {
    /// A stage of the run with this many steps begins.
    Stage(usize),
    StepDone,
    /// The stage that began last has ended.
    StageDone,
    Linking {
        target: &'a str,
    },
    Exploring {
        harness: &'a str,
        paths: u64,
        /// The shape of the tree of paths as far as it is known, and the seconds that it took.
        tree: &'a Tree,
        seconds: f64,
        waiting: usize,
        findings: usize,
    },
    /// The exploration of a harness begins.
    Started {
        harness: &'a str,
    },
    /// A harness is finished, which is a step.
    Finished {
        harness: &'a str,
    },
    /// A finding is being replayed natively.
    Replaying {
        harness: &'a str,
    },
    /// A path without a finding is being replayed natively, the `number`th `of` a sample.
    ReplayingPath {
        harness: &'a str,
        number: usize,
        of: usize,
    },
    /// A part of the run has ended, which took this time.
    Took {
        what: &'a str,
        time: Duration,
    },
    Warning {
        text: String,
        help: Option<String>,
    },
}

/// Shows progress; called by several threads at once.
pub trait Monitor: Send + Sync {
    /// Handles a notice.
    fn notice(&self, notice: Notice<'_>);
}
