//! The forms in which a run can be written when it has ended, as texts.

use super::human::Calls;
use super::recorded::RecordedRun;
use super::stats::Level;
use super::terminal::Terminal;
use super::{json, junit, markdown, output, sarif};
use std::path::{Path, PathBuf};

/// A form in which a run can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// Text for people, as on the terminal, with these statistics, and calls that lead to findings.
    Human(Option<Level>, Calls),
    /// One JSON object a line.
    Json,
    /// JUnit XML.
    Junit,
    /// SARIF 2.1.0.
    Sarif,
    /// Markdown, for summaries and comments.
    Markdown,
}

/// Returns the text of a run in a form. Paths below `here` are shown relative to it.
pub fn text(run: &RecordedRun, form: Form, here: &Path) -> String {
    match form {
        Form::Human(stats, calls) => {
            let mut text = String::new();
            run.tell(&mut Terminal::new(
                &run.facts,
                (stats, calls),
                here.to_owned(),
                |line| {
                    text.push_str(line.trim_end_matches('\n'));
                    text.push('\n');
                },
            ));
            text
        }
        Form::Json => json::text(run),
        Form::Junit => junit::text(run, here),
        Form::Sarif => sarif::text(run),
        Form::Markdown => markdown::text(run, here),
    }
}

/// Writes a run to a file, or to standard output. Fails with the path and the reason.
pub fn write(
    run: &RecordedRun,
    form: Form,
    here: &Path,
    file: Option<&PathBuf>,
) -> Result<(), String> {
    let text = text(run, form, here);
    match file {
        // Colours are for the terminal.
        Some(file) => {
            let text = anstream::adapter::strip_str(&text).to_string();
            output::file(file, text)
        }
        None => {
            output::line(&text);
            Ok(())
        }
    }
}
