//! The trees of decisions on the page: data for the script, which draws a tree when its harness is
//! looked at, and what is said of a tree that was not recorded.

use super::overview::finding_id;
use super::{Page, Shown, grouped};
use maud::{Markup, html};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use symex_types::outcome::decision_tree::{DecisionTree, ForkKind};
use symex_types::outcome::{SourceLoc, Stats};

/// Most nodes on the page, over all trees; with more harnesses, each has fewer.
const MOST_NODES: usize = 150_000;

/// Most characters of a line of source at a fork.
const LINE: usize = 120;

/// Kinds of ends, and what one and several of them are called. Their order is that of the counts in
/// the data; what is open comes last.
const ENDS: [(&str, &str, &str); 7] = [
    ("passed", "passed", "passed"),
    ("found", "finding", "findings"),
    (
        "assumed",
        "assumption does not hold",
        "assumptions do not hold",
    ),
    ("unsupported", "not supported", "not supported"),
    ("bounded", "bound", "bounds"),
    ("impossible", "no input takes it", "no input takes them"),
    ("open", "left open", "left open"),
];

/// Returns the part of a harness's section that has its tree.
pub(super) fn of_harness(shown: &Shown, number: usize) -> Markup {
    let report = shown.report;
    let Some(tree) = &report.decisions else {
        return html! {
            h3 { "Tree of decisions" }
            p.quiet { (why_not(&report.stats, report.cached)) }
        };
    };
    let counted: u64 = tree.nodes.iter().map(|node| node.forks).sum();
    let name = shown.id.strip_prefix("harness/").unwrap_or(&shown.id);
    html! {
        h3 id={ "tree/" (name) } { "Tree of decisions" }
        p.legend.ends {
            @for (class, text, _) in ENDS { span.end data-end=(class) { (text) } " " }
        }
        div data-tree=(number) {}
        @if tree.ways.is_empty() && !report.findings.is_empty() {
            p.quiet {
                "The finding is on inputs that were tried beside the exploration, which has not come to that path."
            }
        }
        @if counted > 0 {
            p.quiet {
                "The tree is told down to " (tree.depth()) " forks. " (grouped(counted))
                " forks below are only counted, but for those on the ways to findings."
            }
        }
        @if tree.is_partial {
            p.quiet {
                "The tree is a part: other paths were explored by a run or a machine that has recorded no tree."
            }
        }
    }
}

/// Returns why there is no tree.
fn why_not(stats: &Stats, cached: bool) -> &'static str {
    if stats.merged > 0 {
        "Paths were merged where they meet again, so that they are no tree. `--merge=off` explores each by itself."
    } else if cached {
        "It was not recorded: the verdict is that of an earlier run without --html. `--no-cache` explores the harness again."
    } else {
        "It was not recorded: that is done in runs with --html."
    }
}

/// Returns the data of the trees, each for itself, by the numbers of their harnesses, after that of
/// all.
pub(super) fn trees(page: &Page) -> Vec<(String, Value)> {
    let mut sources = Sources::default();
    let known = page.harnesses.iter().enumerate();
    let known =
        known.filter_map(|(number, shown)| Some((number, shown, shown.report.decisions.as_ref()?)));
    let room = MOST_NODES / known.clone().count().max(1);
    let trees = known.map(|(number, shown, tree)| {
        let mut tree = tree.clone();
        while tree.nodes.len() > room && tree.depth() > 0 {
            tree.fold(tree.depth() - 1);
        }
        (
            format!("tree-{number}"),
            of_tree(shown, &tree, &mut sources),
        )
    });
    let all = json!({ "ends": ENDS, "kinds": KINDS.map(|(_, text)| text) });
    std::iter::once(("trees".to_owned(), all))
        .chain(trees)
        .collect()
}

/// Kinds of forks with what they are called.
const KINDS: [(ForkKind, &str); 6] = [
    (ForkKind::Branch, "branch"),
    (ForkKind::Value, "value"),
    (ForkKind::Check, "check"),
    (ForkKind::Pointer, "pointer"),
    (ForkKind::Placement, "placement"),
    (ForkKind::Thread, "thread"),
];

fn kind(of: ForkKind) -> usize {
    KINDS.iter().position(|known| known.0 == of).unwrap_or(0)
}

fn of_tree(shown: &Shown, tree: &DecisionTree, sources: &mut Sources) -> Value {
    let places = tree.places.iter();
    let places = places.map(|at| (shown.places.show(at), sources.line(shown, at)));
    let at = |at: Option<u32>| at.map_or(-1, i64::from);
    let nodes = tree.nodes.iter().map(|node| match &node.fork {
        Some(fork) => json!([at(fork.at), kind(fork.kind), fork.sides[0], fork.sides[1]]),
        None => {
            let mut ends = node.ends.counts().to_vec();
            ends.push(node.open());
            json!({ "f": node.forks, "e": ends })
        }
    });
    let ways = tree.ways.iter().map(|way| {
        let steps = way.steps.iter();
        let steps = steps.map(|step| json!([at(step.at), kind(step.kind), u8::from(step.copy)]));
        let mut findings = shown.report.findings.iter();
        let number = findings.position(|detail| {
            let finding = &detail.finding;
            (finding.kind, &finding.at) == (way.kind, &way.at)
        });
        json!({
            "root": way.root,
            "steps": steps.collect::<Vec<_>>(),
            "more": way.more,
            "title": way.kind.title(),
            "link": number.map(|number| finding_id(shown, number)),
        })
    });
    json!({
        "places": places.collect::<Vec<_>>(),
        "nodes": nodes.collect::<Vec<_>>(),
        "roots": tree.roots,
        "ways": ways.collect::<Vec<_>>(),
    })
}

/// Files of source by path, as far as they were read.
#[derive(Default)]
struct Sources(BTreeMap<PathBuf, Vec<String>>);

impl Sources {
    /// Returns the text of the line of a place, without the space around it.
    fn line(&mut self, shown: &Shown, at: &SourceLoc) -> String {
        let Some(file) = shown.places.file(at) else {
            return String::new();
        };
        let lines = self.0.entry(file).or_insert_with_key(|file| {
            let text = std::fs::read(file).unwrap_or_default();
            let text = String::from_utf8_lossy(&text);
            text.lines().map(|line| line.trim().to_owned()).collect()
        });
        let line = lines.get((at.line as usize).wrapping_sub(1));
        let line = line.map_or("", String::as_str);
        line.chars().take(LINE).collect()
    }
}
