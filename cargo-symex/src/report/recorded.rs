//! A run as it is recorded: all that a report says, whatever its form. A run in progress becomes
//! one when it ends, and the forms that are written to files are made of it; it is kept as JSON
//! lines (`json`), of which the other forms can be made later.

use crate::harness::TestHarness;
use crate::pipeline::HarnessReport;
use crate::pipeline::event::{Reporter, RunEvent, Summary};
use crate::pipeline::exit_code::ExitCode;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Facts of a run that its events do not tell.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RunFacts {
    /// The packages of the workspace, by name; none for a program given as files.
    pub packages: Vec<PackageVersion>,
    /// The part of the harnesses that was run, if it was one: `hash:1/2`.
    pub partition: Option<String>,
    /// Whether a bounded pass counts as a failure.
    pub require_complete: bool,
    /// Whether one program was explored, rather than the harnesses of crates.
    pub program: bool,
    /// Root of the workspace, in which the compiler ran; for a program the current directory.
    pub workspace: PathBuf,
    /// Root of the repository that has the workspace, if it is in one.
    pub repository: Option<PathBuf>,
}

/// A package of a workspace.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct PackageVersion {
    pub name: String,
    pub version: String,
}

/// A run that has ended.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// Version of the tool that made the run.
    pub version: String,
    pub facts: RunFacts,
    /// The harnesses of the run, in the order of the report.
    pub harnesses: Vec<TestHarness>,
    /// Harnesses that `#[ignore]` left out.
    pub ignored: Vec<TestHarness>,
    /// Reports of those that were run, in the same order.
    pub reports: Vec<HarnessReport>,
    /// Harnesses that were not started before an interrupt.
    pub not_run: Vec<TestHarness>,
    /// Number of harnesses that the filters left out.
    pub filtered_out: usize,
    pub code: ExitCode,
    pub interrupted: bool,
}

impl RunFacts {
    /// Returns the directory to which names of files in a report are relative: the root of the
    /// repository, or else of the workspace.
    pub fn root(&self) -> &Path {
        self.repository.as_deref().unwrap_or(&self.workspace)
    }
}

/// Returns the root of the repository that has a directory.
pub fn repository_of(directory: &Path) -> Option<PathBuf> {
    let mut above = directory.ancestors();
    above
        .find(|directory| directory.join(".git").exists())
        .map(Path::to_owned)
}

impl RecordedRun {
    /// Tells the run to a form of report, as if it happened now.
    pub fn tell(&self, reporter: &mut dyn Reporter) {
        reporter.event(RunEvent::RunStarted {
            harnesses: &self.harnesses,
            ignored: &self.ignored,
        });
        let mut reports = self.reports.iter().peekable();
        for harness in &self.harnesses {
            match reports.next_if(|report| report.harness.name == harness.name) {
                Some(report) => reporter.event(RunEvent::HarnessFinished(report)),
                None => reporter.event(RunEvent::HarnessNotRun(harness)),
            }
        }
        reporter.event(RunEvent::RunFinished(self.summary()));
    }

    /// Returns the summary at the end of the run.
    pub fn summary(&self) -> Summary<'_> {
        Summary {
            reports: &self.reports,
            not_run: self.not_run.len(),
            ignored: self.ignored.len(),
            filtered_out: self.filtered_out,
            code: self.code,
            interrupted: self.interrupted,
        }
    }
}

/// A form of report that gathers a run, and hands it over when it has ended.
pub struct Recorder<F> {
    run: RecordedRun,
    ended: F,
}

impl<F: FnMut(&RecordedRun)> Recorder<F> {
    /// Creates a recorder of a run with these facts.
    pub fn new(facts: RunFacts, ended: F) -> Self {
        Recorder {
            run: RecordedRun {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                facts,
                harnesses: Vec::new(),
                ignored: Vec::new(),
                reports: Vec::new(),
                not_run: Vec::new(),
                filtered_out: 0,
                code: ExitCode::Pass,
                interrupted: false,
            },
            ended,
        }
    }
}

impl<F: FnMut(&RecordedRun)> Reporter for Recorder<F> {
    fn event(&mut self, event: RunEvent<'_>) {
        let run = &mut self.run;
        match event {
            RunEvent::RunStarted { harnesses, ignored } => {
                run.harnesses = harnesses.to_vec();
                run.ignored = ignored.to_vec();
            }
            RunEvent::HarnessFinished(report) => run.reports.push(report.clone()),
            RunEvent::HarnessNotRun(harness) => run.not_run.push(harness.clone()),
            RunEvent::RunFinished(summary) => {
                run.filtered_out = summary.filtered_out;
                run.code = summary.code;
                run.interrupted = summary.interrupted;
                (self.ended)(run);
            }
        }
    }
}
