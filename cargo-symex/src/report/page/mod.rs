//! A run as one page of HTML, which loads nothing from elsewhere: the harnesses with what has
//! changed since earlier runs, findings, trees of decisions, coverage, and where time and memory
//! went.
//!
//! Everything is there when the page is opened; a small script shows one part at a time, sorts and
//! filters, and draws what is large (trees, tables of statistics) when it is looked at, from data
//! in JSON. It makes no HTML of text, and a policy in the page's head allows it alone.

mod effort;
mod finding;
mod harness;
pub mod history;
mod overview;
mod tree;

use super::coverage::html::SOURCE_STYLE;
use super::coverage::{self, Coverage, FileTally, shown};
use super::output;
use super::recorded::RecordedRun;
use super::stats;
use crate::pipeline::HarnessReport;
use crate::source::place::Places;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use history::{Change, History};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::path::Path;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("page.js");

/// Most bytes of source that a page carries, over all files.
const MOST_SOURCE: usize = 8 << 20;

/// Writes the page of a run into a folder, which is made if it is not there, as `index.html`. Paths
/// below `here` are shown relative to it. Fails with the reason.
pub fn write(
    run: &RecordedRun,
    history: &History,
    here: &Path,
    folder: &Path,
) -> Result<(), String> {
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("failed to make {}: {error}", folder.display()))?;
    output::file(&folder.join("index.html"), text(run, history, here))
}

/// What the parts of the page are made of.
struct Page<'a> {
    run: &'a RecordedRun,
    history: &'a History,
    /// The harnesses that were run, in the order of the report.
    harnesses: Vec<Shown<'a>>,
    coverage: Option<Coverage>,
}

/// A harness on the page.
struct Shown<'a> {
    report: &'a HarnessReport,
    /// Name of its part of the page, by which links refer to it.
    id: String,
    change: Option<Change>,
    places: Places,
}

impl<'a> Page<'a> {
    fn new(run: &'a RecordedRun, history: &'a History, here: &'a Path) -> Self {
        let mut ids = BTreeSet::new();
        let harnesses = run.reports.iter().map(|report| Shown {
            report,
            id: unique(&report.harness.name, &mut ids),
            change: history.change(report),
            places: Places {
                here: here.to_owned(),
                package: report.harness.manifest_dir.clone(),
            },
        });
        let known = run.reports.iter().any(|report| report.coverage.is_some());
        Page {
            run,
            history,
            harnesses: harnesses.collect(),
            coverage: known.then(|| Coverage::of(&run.reports)),
        }
    }
}

/// Returns the name of a harness's part of the page: its own name, with a number if it has been
/// given before.
fn unique(name: &str, taken: &mut BTreeSet<String>) -> String {
    let name: String = name
        .chars()
        .map(|c| if c.is_whitespace() { '_' } else { c })
        .collect();
    let mut id = format!("harness/{name}");
    let mut number = 1;
    while !taken.insert(id.clone()) {
        number += 1;
        id = format!("harness/{name}~{number}");
    }
    id
}

/// Returns the page of a run. Paths below `here` are shown relative to it.
pub fn text(run: &RecordedRun, history: &History, here: &Path) -> String {
    let page = Page::new(run, history, here);
    let title = title(run);
    let style = format!("{SOURCE_STYLE}{STYLE}");
    let policy = format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src '{}'; script-src '{}'",
        hash(&style),
        hash(SCRIPT)
    );
    let html = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "cargo symex " (run.version) };
                title { (title) " · cargo symex" }
                style { (PreEscaped(&style)) }
            }
            body {
                (top(&page, &title))
                main id="main" tabindex="-1" {
                    (overview::part(&page))
                    @for (number, shown) in page.harnesses.iter().enumerate() {
                        (harness::part(&page, number, shown))
                    }
                    (coverage_part(&page))
                    (effort::time_part(&page))
                    (effort::memory_part())
                    section.part #file hidden {}
                }
                (bottom(run))
                (keys())
                (files(&page))
                (data("data", &statistics(run)))
                @for (id, tree) in tree::trees(&page) { (data(&id, &tree)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    html.into_string()
}

/// Returns the source of a policy that allows a script or style.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// Returns a title for a run: its packages that have harnesses.
fn title(run: &RecordedRun) -> String {
    let harnesses = run.harnesses.iter().chain(&run.ignored);
    let mut names: Vec<&str> = harnesses.map(|harness| &*harness.package).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| !name.is_empty());
    let version = |name: &str| {
        let mut packages = run.facts.packages.iter();
        let package = packages.find(|package| package.name == name)?;
        Some(format!("{name} {}", package.version))
    };
    match names[..] {
        [] => run
            .harnesses
            .first()
            .map_or_else(|| "no harness".to_owned(), |harness| harness.name.clone()),
        [one] => version(one).unwrap_or_else(|| one.to_owned()),
        [first, second] => format!("{first} and {second}"),
        [first, ..] => format!("{first} and {} more packages", names.len() - 1),
    }
}

fn top(page: &Page, title: &str) -> Markup {
    html! {
        a.skip href="#main" { "Skip to the contents" }
        header.top {
            a.name href="#" title="All harnesses" {
                (PreEscaped(LOGO))
                span { (title) }
            }
            nav aria-label="Parts of the page" {
                a href="#" data-part="overview" { "Harnesses" }
                @if page.coverage.is_some() {
                    a href="#coverage" data-part="coverage" { "Coverage" }
                }
                a href="#time" data-part="time" { "Time" }
                a href="#memory" data-part="memory" { "Memory" }
            }
            span.tools {
                button #theme type="button" title="Dark or light (t)" aria-label="Dark or light" { "◐" }
                button #help type="button" title="Keys (?)" aria-label="Keys" { "?" }
            }
        }
        noscript {
            p.noscript {
                "Without its script this page shows all its parts one below the other, without trees, sources and the \
                 statistics of memory."
            }
        }
    }
}

/// The mark in the head of the page: a path that forks.
const LOGO: &str = "<svg viewBox=\"0 0 24 24\" width=\"22\" height=\"22\" aria-hidden=\"true\"><path d=\"M4 12h5l6-6h5M9 12l6 6h5\" \
fill=\"none\" stroke=\"currentColor\" stroke-width=\"2\"/><circle cx=\"20\" cy=\"6\" r=\"2.5\" class=\"good\"/><circle cx=\"20\" cy=\"18\" \
r=\"2.5\" class=\"bad\"/></svg>";

fn bottom(run: &RecordedRun) -> Markup {
    html! {
        footer {
            p {
                "Made by cargo symex " (run.version) " of one recorded run. Sources are shown as they were when the page \
                 was written."
            }
        }
    }
}

/// Returns the list of keys.
fn keys() -> Markup {
    let keys = [
        ("/", "filter the harnesses"),
        ("j  k", "next and previous harness"),
        ("Enter", "open the harness, or unfold a node"),
        ("← →", "fold and unfold a node of a tree"),
        ("Esc", "back to all harnesses"),
        ("1 2 3 4", "harnesses, coverage, time, memory"),
        ("t", "dark or light"),
        ("?", "these keys"),
    ];
    html! {
        dialog #keys aria-labelledby="keys-title" {
            h2 #keys-title { "Keys" }
            dl {
                @for (key, what) in keys {
                    dt { @for key in key.split_whitespace() { kbd { (key) } " " } }
                    dd { (what) }
                }
            }
            form method="dialog" { button { "Close" } }
        }
    }
}

fn coverage_part(page: &Page) -> Markup {
    let Some(coverage) = &page.coverage else {
        return Markup::default();
    };
    let link = |_: usize, path: &Path| format!("#file/{}", shown(page.run, path));
    html! {
        section.part #coverage hidden {
            h2 { "Coverage" }
            @if let Some(text) = coverage::of_all(&page.run.reports) { p { (text) } }
            (coverage::html::legend())
            div.wide { (coverage::html::files(page.run, coverage, link)) }
            h3 { "Each harness by itself" }
            div.wide { (coverage::html::harnesses(page.run)) }
        }
    }
}

/// Returns the sources with their coverage, each to be shown when it is asked for.
fn files(page: &Page) -> Markup {
    let mut left = MOST_SOURCE;
    let mut source = |path: &Path| {
        let bytes = std::fs::read(path).ok()?;
        left = left.checked_sub(bytes.len())?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    let file = |path: &Path, source: Option<String>, file: &FileTally| {
        let name = shown(page.run, path);
        html! {
            template data-file=(name) {
                p.crumb { a href="#coverage" { "‹ Coverage" } }
                h2 { (name) }
                (coverage::html::legend())
                div.wide { (coverage::html::totals(file)) }
                div.wide { (coverage::html::source(source.as_deref(), file)) }
            }
        }
    };
    html! {
        @for (path, tally) in page.coverage.iter().flat_map(|coverage| &coverage.files) {
            (file(path, source(path), tally))
        }
    }
}

/// Returns all statistics: their labels, and the values of each harness.
fn statistics(run: &RecordedRun) -> Value {
    let labels = stats::rows(&Default::default());
    let labels: Vec<String> = labels.into_iter().map(|row| row.0).collect();
    let values = run.reports.iter().map(|report| {
        let rows = stats::rows(&report.stats).into_iter();
        rows.map(|row| row.1).collect::<Vec<String>>()
    });
    let memory = effort::OF_MEMORY.iter();
    let memory = memory.filter_map(|label| labels.iter().position(|known| known.trim() == *label));
    let memory: Vec<usize> = memory.collect();
    let names = run.reports.iter().map(|report| &report.harness.name);
    json!({
        "labels": labels,
        "memory": memory,
        "names": names.collect::<Vec<_>>(),
        "values": values.collect::<Vec<_>>(),
    })
}

/// Returns data for the script.
fn data(id: &str, value: &Value) -> Markup {
    // What could end the element is in texts alone, where JSON may escape it.
    let text = value.to_string().replace('<', "\\u003c");
    html! { script type="application/json" id=(id) { (PreEscaped(text)) } }
}

/// Formats a number with its digits in groups of three: `1,234,567`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns `s`, unless the number is 1.
fn plural(number: usize) -> &'static str {
    if number == 1 { "" } else { "s" }
}

#[cfg(test)]
#[path = "page_tests.rs"]
mod tests;
