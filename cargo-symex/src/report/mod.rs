//! What people and programs get to see of a run: the only room that prints.
//!
//! Each form of report is a [`Reporter`] of its own: `terminal` for people (with the texts of
//! `human`, `summary` and `stats`), `json` and `libtest` for programs. `progress` shows what is
//! being done. `verdict` has the words that all forms share, `output` the two streams.

pub mod human;
pub mod json;
pub mod libtest;
pub mod output;
pub mod progress;
pub mod stats;
pub mod summary;
pub mod terminal;
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

/// What is reported, and how.
#[derive(Clone, Debug)]
pub struct Form {
    pub format: Format,
    /// Is what the exploration took told, too?
    pub stats: bool,
    /// Is it one program that is explored, rather than the harnesses of crates?
    pub program: bool,
    /// Is a bounded pass a failure in libtest's form?
    pub require_complete: bool,
    /// For libtest's form: which harnesses were selected by `#[ignore]`.
    pub ignored: bool,
    pub include_ignored: bool,
    /// The current directory; paths below it are shown relative to it.
    pub here: PathBuf,
}

/// The report of this form, and what shows the progress beside it.
pub fn open(form: Form) -> (Box<dyn Reporter>, Arc<dyn Monitor>) {
    let shown = form.format == Format::Human && std::io::stderr().is_terminal();
    let progress = Progress::new(shown);
    let reporter: Box<dyn Reporter> = match form.format {
        Format::Human => Box::new(terminal::Terminal::new(form, progress.clone())),
        Format::Json => Box::new(json::Json),
        Format::Libtest(format) => Box::new(libtest::Libtest::new(form, format)),
    };
    (reporter, Arc::new(progress))
}
