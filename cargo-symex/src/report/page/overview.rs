//! The first part of the page: numbers of the run, findings, and the table of all harnesses.

use super::history::{Change, History, Tone};
use super::{Page, Shown, grouped, plural};
use crate::confirm::settle::stands;
use crate::confirm::{FindingReport, kind_name};
use crate::report::human;
use crate::report::summary::{self, VERDICTS};
use crate::report::verdict::{describe, word};
use maud::{Markup, html};
use symex_types::outcome::Verdict;

/// Most findings that are listed before the harnesses, and most that are folded below them. Each is
/// with its harness, too.
const LISTED: usize = 8;
const FOLDED: usize = 500;

/// Returns the part.
pub(super) fn part(page: &Page) -> Markup {
    html! {
        section.part #overview {
            (headline(page))
            (tiles(page))
            (findings(page))
            (changes(page))
            (table(page))
            (left_out(page))
        }
    }
}

/// Returns the verdict on the run, in a line.
fn headline(page: &Page) -> Markup {
    let run = page.run;
    let worst = VERDICTS.iter().find(|(name, _)| {
        let mut reports = run.reports.iter();
        reports.any(|report| word(&report.verdict) == *name)
    });
    let tone = match run.interrupted {
        true => "inconclusive",
        false => worst.map_or("vacuous", |(name, _)| name),
    };
    html! {
        p.headline data-verdict=(tone) {
            strong { (capital(run.code.meaning())) }
            @if let Some(number) = page.history.number { span.quiet { " · run " (number) } }
            @if let Some(partition) = &run.facts.partition {
                span.quiet { " · part " (partition) " of the harnesses" }
            }
        }
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(char::to_uppercase);
    first.into_iter().flatten().chain(chars).collect()
}

/// Returns the numbers of the run; those of verdicts are buttons that show these harnesses alone.
fn tiles(page: &Page) -> Markup {
    let reports = &page.run.reports;
    let paths: u64 = reports.iter().map(|report| report.stats.paths).sum();
    let explored = reports.iter().filter(|report| !report.cached);
    let seconds: f64 = explored.map(|report| report.stats.seconds).sum();
    let findings: usize = reports.iter().map(|report| report.findings.len()).sum();
    let ignored = summary::ignored(reports);
    html! {
        div.tiles {
            @for (name, label) in VERDICTS {
                @let count = reports.iter().filter(|report| word(&report.verdict) == name).count();
                @if count > 0 {
                    button.tile type="button" data-only=(name) aria-pressed="false"
                        title={ "Show these alone: " (label) } {
                        b { (grouped(count as u64)) } span data-verdict=(name) { (label) }
                    }
                }
            }
            div.tile { b { (findings) } span { "finding" (plural(findings)) } }
            @if ignored > 0 { div.tile { b { (ignored) } span { "ignored" } } }
            div.tile { b { (grouped(paths)) } span { "path" (plural(paths as usize)) } }
            div.tile { b { (duration(seconds)) } span { "of exploration" } }
        }
    }
}

/// Formats a time in seconds.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        0.0..0.001 => "< 1 ms".to_owned(),
        0.001..1.0 => format!("{:.0} ms", seconds * 1000.0),
        1.0..60.0 => format!("{seconds:.2} s"),
        60.0..3600.0 => format!(
            "{:.0} min {:02.0} s",
            (seconds / 60.0).floor(),
            seconds % 60.0
        ),
        _ => format!(
            "{:.0} h {:02.0} min",
            (seconds / 3600.0).floor(),
            seconds % 3600.0 / 60.0
        ),
    }
}

fn findings(page: &Page) -> Markup {
    let all = page.harnesses.iter().flat_map(|shown| {
        let findings = shown.report.findings.iter().enumerate();
        findings.map(move |(number, detail)| (shown, number, detail))
    });
    let count = all.clone().count();
    if count == 0 {
        return Markup::default();
    }
    html! {
        h2 { "Findings" }
        ol.findings {
            @for (shown, number, detail) in all.clone().take(LISTED) { (item(shown, number, detail)) }
        }
        @if count > LISTED {
            details.inline {
                summary { (count - LISTED) " more" }
                ol.findings {
                    @for (shown, number, detail) in all.skip(LISTED).take(FOLDED) {
                        (item(shown, number, detail))
                    }
                }
                @if count > LISTED + FOLDED {
                    p.quiet { (count - LISTED - FOLDED) " others are with their harnesses." }
                }
            }
        }
    }
}

fn item(shown: &Shown, number: usize, detail: &FindingReport) -> Markup {
    html! {
        li {
            a href={ "#" (finding_id(shown, number)) } {
                span.kind data-stands=(stands(detail)) { (kind_name(detail.finding.kind)) }
                span.message { (human::message(&detail.finding, &detail.replay)) }
            }
            span.where {
                @if is_new(shown.change.as_ref(), number) { span.new { "new" } " " }
                @if let Some(at) = human::shown_place(shown.report, detail) {
                    code { (shown.places.show(&at)) } " "
                }
                "in " (shown.report.harness.name)
            }
        }
    }
}

/// Returns the name of the part of the page with a finding.
pub(super) fn finding_id(shown: &Shown, number: usize) -> String {
    let name = shown.id.strip_prefix("harness/").unwrap_or(&shown.id);
    format!("finding/{name}/{}", number + 1)
}

/// Reports whether a finding was not there in the run before.
pub(super) fn is_new(change: Option<&Change>, number: usize) -> bool {
    change.is_some_and(|change| change.is_new.get(number) == Some(&true))
}

/// Returns how many harnesses are better or worse than before, and which are new or gone.
fn changes(page: &Page) -> Markup {
    if page.history.is_empty() {
        return html! { p.quiet { "There is no earlier run to compare with." } };
    }
    let of = |tone: Tone| {
        let changes = page
            .harnesses
            .iter()
            .filter_map(|shown| shown.change.as_ref());
        changes.filter(|change| change.tone == tone).count()
    };
    let new = page.harnesses.iter().filter(|shown| shown.change.is_none());
    let counts = [
        (of(Tone::Worse), "worse", "worse"),
        (of(Tone::Better), "better", "better"),
        (new.count(), "new", "new"),
    ];
    let gone = page.history.gone(page.run);
    let counts: Vec<_> = counts.into_iter().filter(|count| count.0 > 0).collect();
    html! {
        p.changes {
            "Since the run before: "
            @if counts.is_empty() && gone.is_empty() { "no verdict or finding has changed." }
            @for (count, class, text) in counts {
                span.change data-tone=(class) { (count) " " (text) } " "
            }
            @if !gone.is_empty() {
                details.inline {
                    summary { (gone.len()) " gone" }
                    ul { @for name in &gone { li { (name) } } }
                }
            }
        }
    }
}

fn table(page: &Page) -> Markup {
    let changed = !page.history.is_empty();
    html! {
        div.bar {
            h2 { "Harnesses" }
            label.filter {
                span.hidden { "Filter by name" }
                input #filter type="search" placeholder="Filter by name   /" autocomplete="off" spellcheck="false";
            }
            span #shown role="status" {}
        }
        div.wide {
            table.harnesses #harnesses {
                thead {
                    tr {
                        (column("Harness", "text", "ascending"))
                        (column("Verdict", "number", "none"))
                        (column("Findings", "number", "none"))
                        (column("Paths", "number", "none"))
                        (column("Time", "number", "none"))
                        @if changed { (column("Since before", "number", "none")) }
                    }
                }
                tbody {
                    @for (number, shown) in page.harnesses.iter().enumerate() {
                        (row(page, number, shown, changed))
                    }
                }
            }
        }
        p.quiet #none hidden { "No harness fits the filter." }
    }
}

fn column(title: &str, sorted: &str, order: &str) -> Markup {
    html! {
        th scope="col" aria-sort=(order) {
            button type="button" data-sort=(sorted) { (title) }
        }
    }
}

/// Returns the order of a verdict, the gravest first.
fn gravity(verdict: &Verdict) -> usize {
    let name = word(verdict);
    VERDICTS
        .iter()
        .position(|known| known.0 == name)
        .unwrap_or(0)
}

fn row(page: &Page, number: usize, shown: &Shown, changed: bool) -> Markup {
    let report = shown.report;
    let several = page.run.facts.packages.len() > 1;
    html! {
        tr data-verdict=(word(&report.verdict)) {
            td data-value=(number) {
                a href={ "#" (shown.id) } { (report.harness.name) }
                @if several { span.quiet { " " (report.harness.package) } }
            }
            td data-value=(gravity(&report.verdict)) { (badge(&report.verdict)) }
            td.number data-value=(report.findings.len()) data-unit={ " finding" (plural(report.findings.len())) } {
                @if !report.findings.is_empty() { (report.findings.len()) }
            }
            td.number data-value=(report.stats.paths) data-unit={ " path" (plural(report.stats.paths as usize)) } { (grouped(report.stats.paths)) }
            td.number data-value=(report.stats.seconds) {
                @if report.cached { span.quiet title="The verdict is that of an earlier run" { "cached" } }
                @else { (duration(report.stats.seconds)) }
            }
            @if changed { (change_cell(shown.change.as_ref())) }
        }
    }
}

fn change_cell(change: Option<&Change>) -> Markup {
    let Some(change) = change else {
        return html! { td data-value="1" { span.change data-tone="new" { "new" } } };
    };
    let (order, tone) = tone(change.tone);
    html! {
        td data-value=(order) {
            @if change.texts.is_empty() { span.quiet { "–" } }
            @else { span.change data-tone=(tone) { (change.texts.join(", ")) } }
        }
    }
}

fn tone(tone: Tone) -> (u8, &'static str) {
    match tone {
        Tone::Worse => (0, "worse"),
        Tone::Better => (2, "better"),
        Tone::Neutral => (3, "neutral"),
    }
}

/// Returns what became of a harness since the run before, as a sentence.
pub(super) fn change_line(history: &History, change: Option<&Change>) -> Markup {
    match change {
        _ if history.is_empty() => Markup::default(),
        None => html! { p.quiet { "No earlier run has this harness." } },
        Some(change) => html! {
            p.quiet {
                "Since run " (change.run) ": "
                @if change.texts.is_empty() { "no change." }
                @else {
                    span.change data-tone=(tone(change.tone).1) { (change.texts.join(", ")) }
                }
            }
        },
    }
}

/// Returns a verdict, in its colour. The reasons are its title.
pub(super) fn badge(verdict: &Verdict) -> Markup {
    let name = word(verdict);
    let label = VERDICTS.iter().find(|known| known.0 == name);
    html! {
        span.badge data-verdict=(name) title=(describe(verdict)) { (label.map_or(name, |known| known.1)) }
    }
}

/// Lists the harnesses that were not run.
fn left_out(page: &Page) -> Markup {
    let run = page.run;
    let lists = [
        (&run.not_run, "not run, because of the interrupt"),
        (&run.ignored, "left out by #[ignore]"),
    ];
    html! {
        @for (harnesses, why) in lists {
            @if !harnesses.is_empty() {
                details.inline {
                    summary { (harnesses.len()) " " (why) }
                    ul { @for harness in harnesses { li { (harness.name) } } }
                }
            }
        }
        @if run.filtered_out > 0 {
            p.quiet { (run.filtered_out) " left out by the filters of the command." }
        }
    }
}
