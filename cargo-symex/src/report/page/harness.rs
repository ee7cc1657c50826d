//! The part of the page about one harness.

use super::overview::{badge, change_line, duration};
use super::{Page, Shown, effort, finding, grouped, plural, tree};
use crate::report::coverage;
use crate::report::human::{self, Missing};
use crate::report::ignored::{self, Unmatched};
use crate::report::verdict::{describe_judged, ignored_text, mark, word};
use maud::{Markup, html};

/// Returns the part.
pub(super) fn part(page: &Page, number: usize, shown: &Shown) -> Markup {
    let report = shown.report;
    let harness = &report.harness;
    html! {
        section.part.harness id=(shown.id) data-verdict=(word(&report.verdict)) hidden {
            p.crumb { a href="#" { "‹ All harnesses" } }
            h2 { (badge(&report.verdict)) " " (harness.name) }
            p.facts {
                @if !harness.package.is_empty() { span { (harness.package) " · " (harness.target_kind) } }
                @if harness.line > 0 { span { code { (shown.places.show(&harness.place())) } } }
                span { (grouped(report.stats.paths)) " path" (plural(report.stats.paths as usize)) }
                @if report.cached { span { "verdict of an earlier run" } }
                @else { span { (duration(report.stats.seconds)) } }
            }
            @if report.findings.is_empty() { p { (describe_judged(report)) (mark(report)) } }
            (change_line(page.history, shown.change.as_ref()))
            (missing(shown))
            (covers(shown))
            @for (number, detail) in report.findings.iter().enumerate() {
                (finding::article(shown, number, detail))
            }
            @if report.findings.is_empty() { p.quiet { "No finding." } }
            (ignored(shown))
            (tree::of_harness(shown, number))
            (effort::of_harness(shown))
            @if let Some(text) = coverage::of_harness(report) {
                h3 { "Coverage" }
                p { (text) ". " a href="#coverage" { "All files" } }
            }
            details.fold data-statistics {
                summary { h3 { "All statistics" } }
            }
        }
    }
}

/// Returns what the exploration left out.
fn missing(shown: &Shown) -> Markup {
    let report = shown.report;
    let missing = human::missing(report, &shown.places);
    let replayed = report.paths.as_ref().map(|paths| paths.describe());
    html! {
        @if let Some(Missing { title, notes, help }) = missing {
            div.note {
                p { strong { (title) } }
                ul { @for note in notes { li { (note) } } }
                @for help in help { p { "Help: " (help) } }
            }
        }
        @if let Some(text) = replayed { p.quiet { "Native runs of paths: " (text) } }
        @if report.resumable {
            p.quiet { "It stopped at a limit; the same command with " code { "--resume" } " goes on from there." }
        }
    }
}

/// Returns the findings that do not count, and what of their file is out of date.
fn ignored(shown: &Shown) -> Markup {
    let report = shown.report;
    let findings = &report.ignored.findings;
    html! {
        @if !findings.is_empty() {
            details.fold {
                summary { h3 { (ignored_text(findings.len())) } }
                p.quiet { "No path is explored beyond." }
                ul { @for one in findings { li { (ignored::line(report, one, &shown.places)) } } }
            }
        }
        @if let Some(Unmatched { title, entries }) = ignored::unmatched(report) {
            div.note {
                p { strong { (title) } }
                ul { @for entry in entries { li { (entry) } } }
            }
        }
    }
}

fn covers(shown: &Shown) -> Markup {
    let covers = &shown.report.covers;
    if covers.is_empty() {
        return Markup::default();
    }
    html! {
        h3 { "Cover points" }
        ul.covers {
            @for (name, met) in covers {
                li data-met=(met) { (name) " " span.quiet { @if *met { "met" } @else { "never met" } } }
            }
        }
    }
}
