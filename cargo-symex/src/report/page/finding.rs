//! A finding on the page: its source, inputs, trace, output and test.

use super::overview::{finding_id, is_new};
use super::{Shown, plural};
use crate::confirm::replay::Replay;
use crate::confirm::settle::stands;
use crate::confirm::test_case::Written;
use crate::confirm::{FindingReport, kind_name};
use crate::report::human::{self, Calls};
use crate::source::trace;
use maud::{Markup, html};
use std::path::Path;
use symex_types::outcome::SourceLoc;

/// Number of lines of source that are shown before and after a place.
const AROUND: usize = 4;

/// Most bytes of a path's output, and of one input.
const MOST_OUTPUT: usize = 64 << 10;
const MOST_INPUT: usize = 8 << 10;

/// Notes that are told otherwise here.
const TOLD_OTHERWISE: [&str; 7] = [
    "harness",
    "inputs",
    "trace",
    "output",
    "test",
    "artifact",
    "regression",
];

/// Returns a finding of a harness, by its number there.
pub(super) fn article(shown: &Shown, number: usize, detail: &FindingReport) -> Markup {
    let finding = &detail.finding;
    let at = human::shown_place(shown.report, detail);
    let notes = human::all_notes(shown.report, detail, &shown.places, Calls::All);
    let notes: Vec<_> = notes
        .into_iter()
        .filter(|(label, _)| !TOLD_OTHERWISE.contains(label))
        .collect();
    let calls = trace::lines(&finding.trace, &shown.places);
    html! {
        article.finding id=(finding_id(shown, number)) {
            h3 {
                span.kind data-stands=(stands(detail)) { (kind_name(finding.kind)) }
                " " span.message { (human::message(finding, &detail.replay)) }
            }
            p.facts {
                (confirmed(detail))
                @if is_new(shown.change.as_ref(), number) { span.new { "new since the run before" } }
                @if finding.kind.title() != kind_name(finding.kind) { span { (finding.kind.title()) } }
            }
            @if let Some(at) = &at { (excerpt(shown, at)) }
            (inputs(detail))
            @if !calls.is_empty() {
                h4 { "Trace" }
                pre.places { (calls.join("\n")) }
            }
            @if !finding.output.is_empty() { (output(&finding.output)) }
            @if let Some(test) = &detail.test { (test_of(shown, test)) }
            dl.notes {
                @for (label, text) in notes {
                    dt { (label) }
                    dd.places { (text) }
                }
            }
        }
    }
}

/// Returns whether a native run has shown the finding.
fn confirmed(detail: &FindingReport) -> Markup {
    let (class, text) = match &detail.replay {
        Replay::Confirmed { .. } => ("yes", "confirmed natively"),
        Replay::NotReproduced { .. } => ("no", "not reproduced natively"),
        Replay::Failed { .. } | Replay::Skipped { .. } => ("unknown", "not run natively"),
    };
    html! { span.confirmed data-confirmed=(class) { (text) } }
}

/// Returns the source around a place, with its line marked.
fn excerpt(shown: &Shown, at: &SourceLoc) -> Markup {
    let place = shown.places.show(at);
    let marked = shown.places.line(at);
    let text = shown
        .places
        .file(at)
        .and_then(|file| std::fs::read(file).ok());
    let (Some(marked), Some(text)) = (marked, text) else {
        return html! { p.place { code.places { (place) } } };
    };
    let text = String::from_utf8_lossy(&text);
    let first = marked.line.saturating_sub(AROUND).max(1);
    let lines = (first..).zip(text.lines().skip(first - 1));
    let lines = lines.take_while(|(number, _)| *number <= marked.line + AROUND);
    let cut = |range: std::ops::Range<usize>| marked.text.get(range).unwrap_or_default();
    html! {
        figure.excerpt {
            figcaption { code.places { (place) } }
            div.wide {
                table.source {
                    tbody {
                        @for (number, line) in lines {
                            @if number == marked.line {
                                tr.here {
                                    th { (number) }
                                    td {
                                        pre {
                                            (cut(0..marked.span.start))
                                            mark { (cut(marked.span.start..marked.span.end)) }
                                            (cut(marked.span.end..marked.text.len()))
                                        }
                                    }
                                }
                            } @else {
                                tr { th { (number) } td { pre { (line) } } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn inputs(detail: &FindingReport) -> Markup {
    let typed = detail.inputs.as_ref().map(|inputs| &inputs.args[..]);
    let typed = typed.unwrap_or_default();
    if typed.is_empty() && detail.finding.inputs.is_empty() {
        return html! { p.quiet { "It needs no inputs." } };
    }
    if typed.is_empty() {
        let inputs = detail.finding.inputs.iter().map(human::input);
        let inputs: Vec<String> = inputs.map(|input| cut(&input, MOST_INPUT)).collect();
        return html! {
            h4 { "Inputs" }
            pre { (inputs.join("\n")) }
        };
    }
    html! {
        h4 { "Inputs" }
        div.wide {
            table.inputs {
                tbody {
                    @for input in typed {
                        tr {
                            th scope="row" {
                                (input.name)
                                @if !input.type_name.is_empty() { span.quiet { ": " (input.type_name) } }
                            }
                            td { code { (cut(input.shown(), MOST_INPUT)) } }
                        }
                    }
                }
            }
        }
    }
}

fn output(bytes: &[u8]) -> Markup {
    let more = bytes.len().saturating_sub(MOST_OUTPUT);
    let text = String::from_utf8_lossy(&bytes[..bytes.len() - more]);
    html! {
        h4 { "Output of the path" }
        // A line break behind the tag would not be shown.
        pre.output { "\n" (text) }
        @if more > 0 { p.quiet { (more) " more byte" (plural(more)) } }
    }
}

/// Returns a text up to a number of bytes.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().find(|(at, _)| *at >= most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the test that the finding has left, and how to run it.
fn test_of(shown: &Shown, test: &Written) -> Markup {
    let package = &shown.report.harness.package;
    let (title, path, name, text) = match test {
        Written::Written { path, name, .. } => {
            ("Test, written", Some(path), name, of_file(path, name))
        }
        Written::Known { path, name, .. } => ("Test", Some(path), name, of_file(path, name)),
        Written::NotWritten { reason, test: None } => {
            return html! { h4 { "Test" } p.quiet { "Not written: " (reason) } };
        }
        Written::NotWritten {
            reason,
            test: Some(test),
        } => {
            return html! {
                h4 { "Test" }
                p.quiet { "Not written: " (reason) }
                (copied(&test.text))
            };
        }
    };
    html! {
        h4 { (title) }
        @if let Some(path) = path { p { code { (shown.places.relative(path)) } } }
        @match text {
            Some(text) => (copied(&text)),
            None => p { code { (name) } },
        }
        @if path.is_some_and(|path| path.extension().is_some_and(|ending| ending == "rs")) {
            (copied(&format!("cargo test -p {package} {name}")))
        }
    }
}

/// Returns a text with a button that copies it.
fn copied(text: &str) -> Markup {
    html! {
        div.copied {
            pre { (text) }
            button type="button" data-copy hidden { "Copy" }
        }
    }
}

/// Returns the text of a test in a file of tests, with the comment above it.
fn of_file(path: &Path, name: &str) -> Option<String> {
    let text = std::fs::read_to_string(path).ok()?;
    of_text(&text, name)
}

fn of_text(text: &str, name: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let head = format!("fn {name}(");
    let at = lines
        .iter()
        .position(|line| line.trim_start().starts_with(&head))?;
    let above = lines[..at].iter().rev();
    let above = above.take_while(|line| line.starts_with("//") || line.starts_with("#["));
    let first = at - above.count();
    let length = lines[at..].iter().position(|line| *line == "}")?;
    Some(lines[first..=at + length].join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_taken_out_of_its_file() {
        let text = "\
// one
#[test]
fn parses_1() {
    parses(1);
}

// panic: two
// at src/lib.rs:3
#[test]
#[should_panic]
fn parses_2() {
    parses([
        2,
    ]);
}
";
        let expected = "// panic: two\n// at src/lib.rs:3\n#[test]\n#[should_panic]\nfn parses_2() {\n    parses([\n        \
                        2,\n    ]);\n}";
        assert_eq!(of_text(text, "parses_2").as_deref(), Some(expected));
        assert!(of_text(text, "parses_1").unwrap().starts_with("// one"));
        assert_eq!(of_text(text, "parses"), None);
    }

    #[test]
    fn long_values_are_cut_between_characters() {
        assert_eq!(cut("aäö", 2), "aä…");
        assert_eq!(cut("aäö", 9), "aäö");
    }
}
