//! Reports of a run, for people and programs: the only module that prints.
//!
//! Each form of report is a [`Reporter`] of its own: `terminal` for people (with the texts of
//! `human`, `summary` and `stats`), `json` and `libtest` for programs. `progress` shows the
//! progress of the run. `verdict` has the words that all forms share, `output` the two streams.
//!
//! When a run has ended, it is also there as a whole (`recorded`), and is kept (`runs`) as JSON,
//! which `json_reading` reads. `forms` makes texts of it, `page` a page of HTML.

pub mod auto;
pub mod cluster;
pub mod coverage;
mod diagnostics;
mod estimate;
#[cfg(test)]
mod example;
pub mod followed;
pub mod forms;
pub mod generalize;
pub mod github;
pub mod human;
mod ignored;
pub mod json;
pub mod json_reading;
pub mod judged;
pub mod junit;
pub mod libtest;
pub mod markdown;
pub mod merge;
pub mod output;
pub mod page;
pub mod profile;
pub mod progress;
mod reasons;
pub mod recorded;
mod repository;
mod rules;
pub mod runs;
pub mod sarif;
pub mod stats;
pub mod summary;
pub mod terminal;
mod typed;
pub mod verdict;

use crate::pipeline::event::{Monitor, Reporter, RunEvent};
use forms::Form;
use libtest_mimic::FormatSetting;
use page::history::History;
use progress::Progress;
use recorded::{RecordedRun, Recorder, RunFacts};
use runs::Runs;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;

/// The form of a report.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// Text for people.
    Human,
    /// One JSON object a line.
    Json,
    /// Diagnostics in the form of rustc and cargo.
    Diagnostics,
    /// The form in which libtest prints.
    Libtest(FormatSetting),
}

/// How much a run says to people.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Verbosity {
    /// What has to be looked at, and the last line.
    Quiet,
    #[default]
    Normal,
    /// Also how long each step takes, and what else helps to see what it does.
    Verbose,
}

/// The form of the report, and options for its contents.
#[derive(Clone, Debug)]
pub struct ReportForm {
    pub format: Format,
    pub verbosity: Verbosity,
    /// Which statistics of the exploration are printed, if any.
    pub stats: Option<stats::Level>,
    /// Which of the calls that lead to findings are shown.
    pub calls: human::Calls,
    pub facts: RunFacts,
    /// Whether only harnesses with `#[ignore]` were selected, for libtest's form.
    pub ignored: bool,
    pub include_ignored: bool,
    /// The current directory; paths below it are shown relative to it.
    pub here: PathBuf,
    /// The place where the run is recorded, if it is.
    pub runs: Option<Runs>,
    /// Files into which the report is written when the run has ended.
    pub files: Vec<(Form, PathBuf)>,
    /// Forms in which the coverage is reported when the run has ended.
    pub coverage: Vec<coverage::CoverageReport>,
    /// Forms in which profiles are reported when the run has ended.
    pub profile: Vec<profile::ProfileReport>,
    /// Folder into which the page is written when the run has ended.
    pub html: Option<PathBuf>,
    /// The job of GitHub Actions that is told of the run.
    pub github: Option<github::Job>,
}

/// Returns the reporter for this form, and the monitor that shows the progress.
pub fn open(form: ReportForm) -> (Box<dyn Reporter>, Arc<dyn Monitor>) {
    let is_quiet = form.verbosity == Verbosity::Quiet;
    let shown = form.format == Format::Human && !is_quiet && std::io::stderr().is_terminal();
    let progress = Progress::new(shown, form.verbosity);
    let asked = form.clone();
    let shown: Box<dyn Reporter> = match form.format {
        Format::Human => Box::new(terminal::printed(form, progress.clone())),
        Format::Json => Box::new(json::printed(form.facts)),
        Format::Diagnostics => Box::new(diagnostics::printed(form.facts)),
        Format::Libtest(format) => Box::new(libtest::Libtest::new(form, format)),
    };
    let recorder = Recorder::new(asked.facts.clone(), move |run| ended(run, &asked));
    let both = Both(shown, Box::new(recorder));
    (Box::new(both), Arc::new(progress))
}

/// Keeps a run that has ended, and writes the files that were asked for. That it cannot be kept is
/// no reason for the run to fail; that a file cannot be written is.
fn ended(run: &RecordedRun, asked: &ReportForm) {
    let mut number = None;
    if let Some(runs) = &asked.runs {
        match runs.add(&json::text(run)) {
            Ok(added) => number = Some(added),
            Err(error) => output::warning(&format!(
                "failed to record the run in {}: {error}",
                runs.directory().display()
            )),
        }
    }
    if let Some(job) = &asked.github {
        job.tell(run, &asked.here);
    }
    for (form, file) in &asked.files {
        if let Err(message) = forms::write(run, *form, &asked.here, Some(file)) {
            output::unwritten(&message);
        }
    }
    if let Some(folder) = &asked.html {
        let history = match (&asked.runs, number) {
            (Some(runs), Some(number)) => History::read(runs, number, run),
            _ => History::default(),
        };
        if let Err(message) = page::write(run, &history, &asked.here, folder) {
            output::unwritten(&message);
        }
    }
    for form in &asked.coverage {
        if let Err(message) = coverage::write(run, form) {
            output::unwritten(&message);
        }
    }
    for form in &asked.profile {
        if let Err(message) = profile::write(run, form) {
            output::unwritten(&message);
        }
    }
}

/// Two forms of report, one after the other.
struct Both(Box<dyn Reporter>, Box<dyn Reporter>);

impl Reporter for Both {
    fn event(&mut self, event: RunEvent<'_>) {
        self.0.event(event);
        self.1.event(event);
    }
}
