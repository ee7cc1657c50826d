//! Reports of a run, for people and programs: the only module that prints.
//!
//! Each form of report is a [`Reporter`] of its own: `terminal` for people (with the texts of
//! `human`, `summary` and `stats`), `json` and `libtest` for programs. `progress` shows the
//! progress of the run. `verdict` has the words that all forms share, `output` the two streams.

pub mod auto;
pub mod generalize;
pub mod human;
pub mod json;
pub mod judged;
pub mod libtest;
pub mod output;
pub mod progress;
pub mod stats;
pub mod summary;
pub mod terminal;
mod typed;
pub mod verdict;

use crate::pipeline::event::{Monitor, Reporter};
use libtest_mimic::FormatSetting;
use progress::Progress;
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
    /// The form in which libtest prints.
    Libtest(FormatSetting),
}

/// The form of the report, and options for its contents.
#[derive(Clone, Debug)]
pub struct ReportForm {
    pub format: Format,
    /// Whether statistics of the exploration are printed.
    pub stats: bool,
    /// Whether one program is explored, rather than the harnesses of crates.
    pub program: bool,
    /// Whether a bounded pass counts as a failure in libtest's form.
    pub require_complete: bool,
    /// Whether only harnesses with `#[ignore]` were selected, for libtest's form.
    pub ignored: bool,
    pub include_ignored: bool,
    /// The current directory; paths below it are shown relative to it.
    pub here: PathBuf,
}

/// Returns the reporter for this form, and the monitor that shows the progress.
pub fn open(form: ReportForm) -> (Box<dyn Reporter>, Arc<dyn Monitor>) {
    let shown = form.format == Format::Human && std::io::stderr().is_terminal();
    let progress = Progress::new(shown);
    let reporter: Box<dyn Reporter> = match form.format {
        Format::Human => Box::new(terminal::Terminal::new(form, progress.clone())),
        Format::Json => Box::new(json::Json),
        Format::Libtest(format) => Box::new(libtest::Libtest::new(form, format)),
    };
    (reporter, Arc::new(progress))
}
