//! What a run tells: events for reports, in the order of the report, and notices of what is being
//! done, as it is done.
//!
//! A further form of report is one more [`Reporter`].

use super::HarnessReport;
use super::exit_code::ExitCode;
use crate::harness::Harness;

/// A step of a run, told by one thread; harnesses come in the order of their names, whatever order
/// they end in.
#[derive(Clone, Copy)]
pub enum Event<'a> {
    /// These harnesses are being explored, and those are left out by `#[ignore]`.
    RunStarted {
        harnesses: &'a [Harness],
        ignored: &'a [Harness],
    },
    HarnessFinished(&'a HarnessReport),
    /// The run was interrupted before this harness was started.
    HarnessNotRun(&'a Harness),
    RunFinished(Summary<'a>),
}

/// A run at its end.
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
    fn event(&mut self, event: Event<'_>);
}

/// What is being done at the moment, or went wrong beside the report.
pub enum Notice<'a> {
    /// A stage of the run begins that has this many steps.
    Stage(usize),
    StepDone,
    /// The stage that began last is over.
    StageDone,
    Linking {
        target: &'a str,
    },
    Exploring {
        harness: &'a str,
        paths: u64,
        waiting: usize,
        findings: usize,
    },
    /// The exploration of a harness begins.
    Started {
        harness: &'a str,
    },
    /// A finding is run natively.
    Replaying {
        harness: &'a str,
    },
    /// A path without a finding is run natively, the `number`th `of` a sample.
    ReplayingPath {
        harness: &'a str,
        number: usize,
        of: usize,
    },
    Warning {
        text: String,
        help: Option<String>,
    },
}

/// Shows what is being done; told by several threads at once.
pub trait Monitor: Send + Sync {
    /// Takes a notice.
    fn notice(&self, notice: Notice<'_>);
}
