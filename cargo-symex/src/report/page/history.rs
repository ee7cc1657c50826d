//! What has changed since earlier runs: each harness is compared with its report in the newest
//! earlier run that has it.

use super::grouped;
use crate::confirm::FindingReport;
use crate::harness::TestHarness;
use crate::pipeline::HarnessReport;
use crate::report::json_reading;
use crate::report::recorded::RecordedRun;
use crate::report::runs::Runs;
use crate::report::verdict::{describe, word};
use std::collections::BTreeSet;
use symex_types::outcome::FindingKind;
use symex_types::outcome::frame_owner::user_frame;

/// The factor from which on a change of paths is told, and of times, and the least time for that.
const MORE_PATHS: f64 = 1.01;
const MORE_TIME: f64 = 1.5;
const LEAST_SECONDS: f64 = 0.2;

/// Earlier runs of the same workspace.
#[derive(Debug, Default)]
pub struct History {
    /// The number of the run that is shown, if it is recorded.
    pub number: Option<u64>,
    /// The runs with their numbers, the newest first.
    earlier: Vec<(u64, RecordedRun)>,
}

/// What became of a harness since an earlier run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The earlier run.
    pub run: u64,
    pub tone: Tone,
    /// What has changed, in a few words each; none if nothing has.
    pub texts: Vec<String>,
    /// For each finding whether the earlier run had none like it.
    pub is_new: Vec<bool>,
}

/// Whether a change is good.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    Better,
    Worse,
    Neutral,
}

impl History {
    /// Makes a history of earlier runs, the newest first.
    #[cfg(test)]
    pub fn of(number: u64, earlier: Vec<(u64, RecordedRun)>) -> Self {
        History {
            number: Some(number),
            earlier,
        }
    }

    /// Reads the runs before one, as far as its harnesses make it worth it. A run that cannot be
    /// read, as that of another version of the tool, is left out.
    pub fn read(runs: &Runs, number: u64, of: &RecordedRun) -> Self {
        let mut wanted: BTreeSet<Key> = of.reports.iter().map(|r| key(&r.harness)).collect();
        let mut earlier = Vec::new();
        let numbers = runs.numbers().unwrap_or_default();
        for before in numbers.into_iter().rev().filter(|other| *other < number) {
            // The newest is told apart for what is gone; others are read for what it lacks.
            if wanted.is_empty() && !earlier.is_empty() {
                break;
            }
            let text = std::fs::read_to_string(runs.file(before)).unwrap_or_default();
            if let Ok(run) = json_reading::read(&text) {
                let known: BTreeSet<Key> = run.reports.iter().map(|r| key(&r.harness)).collect();
                wanted.retain(|harness| !known.contains(harness));
                earlier.push((before, run));
            }
        }
        History {
            number: Some(number),
            earlier,
        }
    }

    /// Reports whether there is anything to compare with.
    pub fn is_empty(&self) -> bool {
        self.earlier.is_empty()
    }

    /// Returns what became of a harness; `None` if no earlier run has it.
    pub fn change(&self, report: &HarnessReport) -> Option<Change> {
        let (run, before) = self.earlier.iter().find_map(|(number, run)| {
            let mut reports = run.reports.iter();
            let same = reports.find(|other| key(&other.harness) == key(&report.harness))?;
            Some((*number, same))
        })?;
        Some(compare(run, before, report))
    }

    /// Returns the names of the harnesses that the newest earlier run has and this one lacks, if
    /// both are of all harnesses, or of the same part.
    pub fn gone(&self, run: &RecordedRun) -> Vec<&str> {
        let Some((_, before)) = self.earlier.first() else {
            return Vec::new();
        };
        let is_whole = run.filtered_out == 0
            && before.filtered_out == 0
            && run.facts.partition == before.facts.partition;
        if !is_whole {
            return Vec::new();
        }
        let all = run.harnesses.iter().chain(&run.ignored);
        let all: BTreeSet<Key> = all.map(key).collect();
        let gone = before.harnesses.iter();
        let gone = gone.filter(|harness| !all.contains(&key(harness)));
        gone.map(|harness| &*harness.name).collect()
    }
}

/// What tells a harness from all others of a workspace.
type Key<'a> = (&'a str, &'a str, &'a str, &'a str);

fn key(harness: &TestHarness) -> Key<'_> {
    let TestHarness {
        name,
        package,
        target,
        target_kind,
        ..
    } = harness;
    (name, package, target, target_kind)
}

/// What stays the same of a finding while code around it is edited: its kind, the check, and the
/// file and function in which it is. The message often has numbers of the inputs.
type FindingKey<'a> = (FindingKind, Option<&'a str>, Option<&'a str>, &'a str);

fn finding_key(detail: &FindingReport) -> FindingKey<'_> {
    let finding = &detail.finding;
    let frame = user_frame(&finding.trace);
    let at = frame.and_then(|frame| frame.at.as_ref());
    let at = at.or(finding.at.as_ref());
    (
        finding.kind,
        finding.check.as_deref(),
        at.map(|at| &*at.file),
        frame.map_or("", |frame| &frame.function),
    )
}

fn compare(run: u64, before: &HarnessReport, now: &HarnessReport) -> Change {
    let old: Vec<FindingKey> = before.findings.iter().map(finding_key).collect();
    let new: Vec<FindingKey> = now.findings.iter().map(finding_key).collect();
    // A finding that is ignored now, or not any more, is neither mended nor new.
    let apart = |report: &HarnessReport, key: &FindingKey| {
        let mut ignored = report.ignored.findings.iter();
        ignored.any(|one| finding_key(&one.detail) == *key)
    };
    let is_new = new
        .iter()
        .map(|key| !old.contains(key) && !apart(before, key));
    let is_new: Vec<bool> = is_new.collect();
    let appeared = is_new.iter().filter(|new| **new).count();
    let is_mended = |key: &&FindingKey| !new.contains(key) && !apart(now, key);
    let mended = old.iter().filter(is_mended).count();
    let mut texts = Vec::new();
    let (was, is) = (word(&before.verdict), word(&now.verdict));
    if was != is {
        // The reasons of the earlier verdict would make it long.
        let was = describe(&before.verdict);
        let was = was.split(':').next().unwrap_or(&was);
        let closed = if was.contains('(') && !was.contains(')') {
            ")"
        } else {
            ""
        };
        texts.push(format!("was {was}{closed}"));
    }
    let s = |count: usize| if count == 1 { "" } else { "s" };
    if appeared > 0 {
        texts.push(format!("{appeared} new finding{}", s(appeared)));
    }
    if mended > 0 {
        texts.push(format!("{mended} finding{} mended", s(mended)));
    }
    let tone = match (rank(was).cmp(&rank(is)), appeared, mended) {
        (std::cmp::Ordering::Greater, _, _) | (_, 1.., _) => Tone::Worse,
        (std::cmp::Ordering::Less, _, _) | (_, _, 1..) => Tone::Better,
        _ => Tone::Neutral,
    };
    if let Some(times) = ratio(
        before.stats.paths as f64,
        now.stats.paths as f64,
        MORE_PATHS,
    ) {
        let (before, now) = (grouped(before.stats.paths), grouped(now.stats.paths));
        texts.push(format!("paths {times} ({before} → {now})"));
    }
    let (before_seconds, seconds) = (before.stats.seconds, now.stats.seconds);
    let is_timed = !now.cached && before_seconds.max(seconds) >= LEAST_SECONDS;
    if is_timed && let Some(times) = ratio(before_seconds, seconds, MORE_TIME) {
        texts.push(format!(
            "time {times} ({before_seconds:.2} s → {seconds:.2} s)"
        ));
    }
    Change {
        run,
        tone,
        texts,
        is_new,
    }
}

/// Returns the rank of a verdict; the best is the greatest.
fn rank(verdict: &str) -> u8 {
    match verdict {
        "pass-complete" => 4,
        "pass-bounded" => 3,
        "vacuous" => 2,
        "inconclusive" => 1,
        _ => 0,
    }
}

/// Returns the factor between two numbers as `×1.8`, if it is at least this or its inverse.
fn ratio(before: f64, now: f64, least: f64) -> Option<String> {
    if before <= 0.0 || now <= 0.0 || (now < before * least && before < now * least) {
        return None;
    }
    let times = now / before;
    Some(match times {
        0.0..0.01 => "less than ×0.01".to_owned(),
        0.0..10.0 => format!("×{times:.2}"),
        _ => format!("×{times:.0}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::example_run;
    use symex_types::outcome::Verdict;

    fn history(change: impl FnOnce(&mut RecordedRun)) -> History {
        let mut before = example_run();
        change(&mut before);
        History::of(7, vec![(6, before)])
    }

    #[test]
    fn a_run_that_is_the_same_has_no_changes() {
        let run = example_run();
        let history = history(|_| {});
        for report in &run.reports {
            let change = history.change(report).unwrap();
            assert_eq!((change.run, change.tone), (6, Tone::Neutral));
            assert!(change.texts.is_empty(), "{change:?}");
        }
        assert!(history.gone(&run).is_empty());
    }

    #[test]
    fn what_is_new_mended_slower_and_gone_is_told() {
        let mut run = example_run();
        let history = history(|before| {
            let parses = &mut before.reports[2];
            parses.findings.remove(0);
            parses.stats.seconds = 0.05;
            parses.stats.paths = 14;
            let passes = &mut before.reports[3];
            passes.verdict = Verdict::Bug {
                unsupported: Vec::new(),
                bounds: Vec::new(),
            };
            passes.findings = run.reports[2].findings.clone();
        });
        let change = history.change(&run.reports[2]).unwrap();
        assert_eq!(change.tone, Tone::Worse);
        assert_eq!(change.is_new, [true, false]);
        assert_eq!(
            change.texts,
            [
                "1 new finding",
                "paths ×0.50 (14 → 7)",
                "time ×5.00 (0.05 s → 0.25 s)"
            ]
        );
        let change = history.change(&run.reports[3]).unwrap();
        assert_eq!(change.tone, Tone::Better);
        assert_eq!(change.texts, ["was bug", "2 findings mended"]);
        run.filtered_out = 0;
        run.harnesses.remove(0);
        assert!(
            history.gone(&run).is_empty(),
            "the earlier one was filtered"
        );
        run.reports[0].harness.name = "tests::other".into();
        assert_eq!(history.change(&run.reports[0]), None);
    }

    #[test]
    fn what_a_whole_run_lacks_is_gone() {
        let mut run = example_run();
        run.filtered_out = 0;
        let history = history(|before| before.filtered_out = 0);
        run.harnesses.remove(0);
        assert_eq!(history.gone(&run), ["tests::bounded"]);
    }
}
