//! Coverage as a folder of HTML pages: one of all files, and one for each, with its source in
//! colours. They refer to nothing outside the folder.

use super::{Coverage, FileTally, LineTally, State, Totals, shown};
use crate::report::output;
use crate::report::recorded::RecordedRun;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::path::Path;

const STYLE: &str = include_str!("style.css");

/// Style of sources with coverage, and of its three colours.
pub(in crate::report) const SOURCE_STYLE: &str = include_str!("source.css");

/// Writes the pages into a folder, which is made if it is not there.
pub fn write(run: &RecordedRun, coverage: &Coverage, folder: &Path) -> Result<(), String> {
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("failed to make {}: {error}", folder.display()))?;
    output::file(
        &folder.join("index.html"),
        index(run, coverage).into_string(),
    )?;
    for (number, (path, file)) in coverage.files.iter().enumerate() {
        let name = shown(run, path);
        let source = std::fs::read(path).ok();
        let source = source.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let page = of_file(&name, source.as_deref(), file).into_string();
        output::file(&folder.join(page_name(number, path)), page)?;
    }
    Ok(())
}

/// Returns the name of the page of the file with a number.
fn page_name(number: usize, path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "._-".contains(c) {
            c
        } else {
            '_'
        }
    };
    format!(
        "{number}-{}.html",
        name.chars().map(plain).collect::<String>()
    )
}

fn page(title: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(SOURCE_STYLE)) (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
}

/// Returns what the three colours mean.
pub(in crate::report) fn legend() -> Markup {
    html! {
        p.legend {
            span.covered { "covered" } " some path has run it "
            span.unreachable { "unreachable" } " no input leads there under what the harnesses assume "
            span.missed { "missed" } " no path that was explored has run it"
        }
    }
}

fn cells(totals: &Totals) -> Markup {
    html! {
        @for count in [totals.lines, totals.regions, totals.functions, totals.branches] {
            @if count.all() == 0 {
                td { "–" }
            } @else {
                td title={
                    (count.covered) " covered, " (count.unreachable) " unreachable, "
                    (count.missed) " missed"
                } {
                    (count.percent()) " %" small { " " (count.covered) "/" (count.all()) }
                }
            }
        }
        td { (totals.lines.unreachable) }
        td { (totals.lines.missed) }
    }
}

fn head(first: &str) -> Markup {
    html! {
        thead {
            tr {
                th { (first) }
                th { "lines" }
                th { "regions" }
                th { "functions" }
                th { "branches" }
                th { "unreachable lines" }
                th { "missed lines" }
            }
        }
    }
}

fn index(run: &RecordedRun, coverage: &Coverage) -> Markup {
    let body = html! {
        h1 { "Coverage by cargo symex" }
        (legend())
        (files(run, coverage, page_name))
        h2 { "Each harness by itself" }
        (harnesses(run))
    };
    page("Coverage by cargo symex", &body)
}

/// Returns the table of all files, where `link` tells where each is shown, by its number.
pub(in crate::report) fn files(
    run: &RecordedRun,
    coverage: &Coverage,
    link: impl Fn(usize, &Path) -> String,
) -> Markup {
    html! {
        table.coverage {
            (head("file"))
            tbody {
                @for (number, (path, file)) in coverage.files.iter().enumerate() {
                    tr {
                        td { a href=(link(number, path)) { (shown(run, path)) } }
                        (cells(&file.totals()))
                    }
                }
                tr.all { td { "all files" } (cells(&coverage.totals())) }
            }
        }
    }
}

/// Returns the table of all harnesses, each by itself.
pub(in crate::report) fn harnesses(run: &RecordedRun) -> Markup {
    html! {
        table.coverage {
            (head("harness"))
            tbody {
                @for report in &run.reports {
                    tr {
                        td { (report.harness.name) }
                        (cells(&Coverage::of([report]).totals()))
                    }
                }
            }
        }
    }
}

fn class(state: State) -> &'static str {
    match state {
        State::Covered => "covered",
        State::Unreachable => "unreachable",
        State::Missed => "missed",
    }
}

fn of_file(name: &str, source: Option<&str>, file: &FileTally) -> Markup {
    let body = html! {
        p { a href="index.html" { "all files" } }
        h1 { (name) }
        (legend())
        (totals(file))
        (self::source(source, file))
    };
    page(name, &body)
}

/// Returns the table with the numbers of a file.
pub(in crate::report) fn totals(file: &FileTally) -> Markup {
    html! {
        table.coverage { (head("")) tbody { tr { td {} (cells(&file.totals())) } } }
    }
}

/// Returns the source of a file in the colours of its coverage, if it is there.
pub(in crate::report) fn source(source: Option<&str>, file: &FileTally) -> Markup {
    html! {
        @match source {
            None => p { "The source is not there any more." },
            Some(source) => table.source {
                tbody {
                    @for (number, text) in (1u32..).zip(source.lines()) {
                        (line(number, text, file))
                    }
                }
            },
        }
    }
}

/// Returns the row of a line: its number, the number of harnesses that ran it, and its text, with
/// marks at places that are in another state than the line.
fn line(number: u32, text: &str, file: &FileTally) -> Markup {
    let Some(tally) = file.lines.get(&number) else {
        return html! {
            tr id={ "L" (number) } { th { (number) } td.count {} td { pre { (text) } } }
        };
    };
    let state = tally.line.state();
    let arms = file.branches.range((number, 0, 0)..(number + 1, 0, 0));
    let arms: Vec<String> = arms
        .map(|(_, arms)| {
            let taken = arms.iter().filter(|arm| arm.state() == State::Covered);
            format!("{} of {} arms taken", taken.count(), arms.len())
        })
        .collect();
    html! {
        tr id={ "L" (number) } class=(class(state)) {
            th { (number) }
            td.count { @if tally.line.covered > 0 { (tally.line.covered) "×" } }
            td title=(arms.join("; ")) { pre { (marked(text, tally)) } }
        }
    }
}

/// Returns the text of a line with the places marked that are in another state than the line, each
/// up to the next place.
fn marked(text: &str, tally: &LineTally) -> Markup {
    let chars: Vec<char> = text.chars().collect();
    let mut parts: Vec<(Option<State>, String)> = Vec::new();
    let mut state = None;
    for (at, char) in (1u32..).zip(chars) {
        if let Some(place) = tally.places.get(&at) {
            state = Some(place.state()).filter(|state| *state != tally.line.state());
        }
        match parts.last_mut() {
            Some(last) if last.0 == state => last.1.push(char),
            _ => parts.push((state, char.to_string())),
        }
    }
    html! {
        @for (state, text) in parts {
            @match state {
                Some(state) => span class=(class(state)) { (text) },
                None => (text),
            }
        }
    }
}
