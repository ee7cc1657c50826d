//! What the report for people says of findings that do not count, and of entries of their file that
//! are about nothing any more.

use super::human::{self, renderer};
use super::verdict::ignored_text;
use crate::confirm::kind_name;
use crate::ignored::{Entry, FILE, IgnoredFinding};
use crate::pipeline::HarnessReport;
use crate::source::place::Places;
use annotate_snippets::{Group, Level};

/// Returns the texts of a harness: none if all its findings count, and no entry is out of date.
pub(super) fn notes(report: &HarnessReport, places: &Places) -> Vec<String> {
    let mut texts = Vec::new();
    let name = &report.harness.name;
    let findings = &report.ignored.findings;
    if !findings.is_empty() {
        let title = format!(
            "{name}: {}, beyond which no path is explored",
            ignored_text(findings.len())
        );
        let mut group = Group::with_title(Level::NOTE.primary_title(title));
        for one in findings {
            group = group.element(Level::NOTE.message(line(report, one, places)));
        }
        texts.push(renderer().render(&[group]));
    }
    if let Some(unmatched) = unmatched(report) {
        let mut group = Group::with_title(Level::WARNING.primary_title(unmatched.title));
        for entry in unmatched.entries {
            group = group.element(Level::NOTE.message(entry));
        }
        let help = format!("remove it from {}", places.relative(&report.ignored.file));
        group = group.element(Level::HELP.message(help));
        texts.push(renderer().render(&[group]));
    }
    texts
}

/// Returns a finding that does not count in a line: `panic at src/lib.rs:3:5: no; ignored: known`.
pub(super) fn line(report: &HarnessReport, one: &IgnoredFinding, places: &Places) -> String {
    let at = human::shown_place(report, &one.detail);
    let at = at.map_or_else(String::new, |at| format!(" at {}", places.show(&at)));
    let finding = &one.detail.finding;
    let message = human::message(finding, &one.detail.replay);
    format!(
        "{}{at}: {message}; ignored: {}",
        kind_name(finding.kind),
        one.reason
    )
}

/// Entries of the file that are out of date.
pub(super) struct Unmatched {
    pub title: String,
    /// Each in a line.
    pub entries: Vec<String>,
}

/// Returns the entries that are about no finding of a harness; `None` if there are none.
pub(super) fn unmatched(report: &HarnessReport) -> Option<Unmatched> {
    let entries = &report.ignored.unmatched;
    let what = match entries.len() {
        0 => return None,
        1 => "an ignored finding is".to_owned(),
        count => format!("{count} ignored findings are"),
    };
    let name = &report.harness.name;
    Some(Unmatched {
        title: format!("{name}: {what} no longer found, and still in {FILE}"),
        entries: entries.iter().map(of_entry).collect(),
    })
}

fn of_entry(entry: &Entry) -> String {
    let function = match &*entry.function {
        "" => String::new(),
        function => format!(" in {function}"),
    };
    let line = match &*entry.line {
        "" => String::new(),
        line => format!(" at `{line}`"),
    };
    format!(
        "{}{function}{line}: {}",
        kind_name(entry.kind),
        entry.reason
    )
}
