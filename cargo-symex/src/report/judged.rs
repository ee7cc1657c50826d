//! A report in which findings are judged: those that do not count as bugs are told in a line each,
//! and change neither a verdict nor the exit code. After the run comes a summary.

use super::output;
use super::verdict::word;
use crate::confirm::FindingReport;
use crate::judgement::Judgement;
use crate::pipeline::HarnessReport;
use crate::pipeline::event::{Reporter, RunEvent, Summary};
use crate::pipeline::exit_code::ExitCode;
use crate::source::place::Places;
use crate::source::trace;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use symex_types::outcome::{Bound, Verdict};

/// Judge of the findings of harnesses.
pub trait Judge {
    /// Judges a finding; `None` if its harness is not one of those that are judged.
    fn judge(&self, report: &HarnessReport, finding: &FindingReport) -> Option<Judgement>;

    /// Takes note of a finding that counts.
    fn keep(&mut self, _report: &HarnessReport, _finding: &FindingReport) {}

    /// Leaves behind what the run is to leave, after it.
    fn leave(&mut self) {}

    /// Makes a finding that counts say more to people.
    fn explain(&self, _report: &HarnessReport, _finding: &mut FindingReport) {}

    /// Returns lines about a finding that counts.
    fn notes(&self, _report: &HarnessReport, _finding: &FindingReport) -> Option<String> {
        None
    }

    /// Returns the line of JSON about a finding.
    fn json(&self, report: &HarnessReport, finding: &FindingReport, judgement: Judgement) -> Value;

    /// Returns the summary for people.
    fn summary(&self, tally: &Tally) -> String;

    /// Returns the summary in JSON.
    fn json_summary(&self, tally: &Tally) -> Value;
}

/// Choices for a report in which findings are judged.
#[derive(Clone, Copy, Debug, Default)]
pub struct JudgedOptions {
    /// Whether panics that documentation promises are bugs.
    pub promised_panics: bool,
    pub require_complete: bool,
    /// Whether nothing but JSON may be printed.
    pub is_json: bool,
    /// Whether only what counts is told.
    pub is_quiet: bool,
}

/// How the harnesses ended, and what their findings are.
#[derive(Default)]
pub struct Tally {
    /// Reports without the findings that do not count.
    pub reports: Vec<HarnessReport>,
    /// Number of findings by the names of their judgements.
    pub findings: BTreeMap<&'static str, usize>,
}

/// A report in which findings are judged.
pub struct Judged<J> {
    inner: Box<dyn Reporter>,
    judge: J,
    options: JudgedOptions,
    tally: Tally,
    code: Option<ExitCode>,
}

impl<J: Judge> Judged<J> {
    /// Creates a report around the one of the run.
    pub fn new(inner: Box<dyn Reporter>, judge: J, options: JudgedOptions) -> Self {
        Judged {
            inner,
            judge,
            options,
            tally: Tally::default(),
            code: None,
        }
    }

    /// Returns the exit code, once the run has ended.
    pub fn code(&self) -> Option<ExitCode> {
        self.code
    }

    fn finished(&mut self, report: &HarnessReport) {
        let mut kept = report.clone();
        let (mut apart, mut lines, mut notes) = (Vec::new(), Vec::new(), Vec::new());
        kept.findings.clear();
        for finding in &report.findings {
            let Some(judgement) = self.judge.judge(report, finding) else {
                kept.findings.push(finding.clone());
                continue;
            };
            *self.tally.findings.entry(judgement.name()).or_default() += 1;
            lines.push(self.judge.json(report, finding, judgement));
            if judgement.is_bug(self.options.promised_panics) {
                self.judge.keep(report, finding);
                notes.extend(self.judge.notes(report, finding));
                let mut finding = finding.clone();
                self.judge.explain(report, &mut finding);
                kept.findings.push(finding);
            } else {
                apart.push((judgement, finding));
            }
        }
        if kept.findings.is_empty() && !apart.is_empty() {
            kept.verdict = without_bug(&kept.verdict);
        }
        self.inner.event(RunEvent::HarnessFinished(&kept));
        if self.options.is_json {
            lines.iter().for_each(output::json);
        } else {
            notes.iter().for_each(|note| output::line(note));
            let mut told = BTreeSet::new();
            if self.options.is_quiet {
                apart.clear();
            }
            for (judgement, finding) in apart {
                // Other ways to the same end are not told.
                if told.insert((judgement.name(), finding.finding.message.clone()))
                    && let Some(line) = marked_apart(judgement, report, finding)
                {
                    output::line(&line);
                }
            }
        }
        self.tally.reports.push(kept);
    }

    fn ended(&mut self, run: Summary<'_>) {
        let reports = &self.tally.reports;
        let codes = reports
            .iter()
            .map(|report| ExitCode::of(&report.verdict, self.options.require_complete));
        let code = match run.code {
            // What has not to do with verdicts.
            ExitCode::Interrupted | ExitCode::BuildFailed => run.code,
            _ => codes.fold(ExitCode::Pass, ExitCode::and),
        };
        self.code = Some(code);
        self.inner.event(RunEvent::RunFinished(Summary {
            reports,
            code,
            ..run
        }));
        self.judge.leave();
        if self.options.is_json {
            output::json(&self.judge.json_summary(&self.tally));
        } else {
            let text = self.judge.summary(&self.tally);
            let first = text.lines().find(|line| !line.is_empty());
            match first.filter(|_| self.options.is_quiet) {
                Some(line) => output::line(line),
                None => output::line(&text),
            }
        }
    }
}

impl<J: Judge> Reporter for Judged<J> {
    fn event(&mut self, event: RunEvent<'_>) {
        match event {
            RunEvent::HarnessFinished(report) => self.finished(report),
            RunEvent::RunFinished(run) => self.ended(run),
            other => self.inner.event(other),
        }
    }
}

impl Tally {
    /// Returns the number of findings with a judgement.
    pub fn judged(&self, judgement: Judgement) -> usize {
        let count = self.findings.get(judgement.name());
        count.copied().unwrap_or_default()
    }

    /// Returns how many harnesses ended in which way: `3 complete, 1 with findings`.
    pub fn verdicts(&self) -> String {
        let to_the_end = self
            .reports
            .iter()
            .filter(|report| is_cut_by_lengths(&report.verdict));
        let to_the_end = to_the_end.count();
        let verdicts = [
            (self.count("pass-complete"), "complete"),
            (to_the_end, "complete up to lengths"),
            (self.count("pass-bounded") - to_the_end, "cut by a limit"),
            (self.count("inconclusive"), "inconclusive"),
            (self.count("vacuous"), "vacuous"),
            (self.count("bug"), "with findings"),
        ];
        let verdicts = verdicts.iter().filter(|(count, _)| *count > 0);
        let verdicts: Vec<String> = verdicts
            .map(|(count, label)| format!("{count} {label}"))
            .collect();
        verdicts.join(", ")
    }

    fn count(&self, verdict: &str) -> usize {
        let reports = self.reports.iter();
        reports
            .filter(|report| word(&report.verdict) == verdict)
            .count()
    }
}

/// Most names that are listed with a reason.
const NAMED: usize = 4;

/// Returns what has no harness, each with its name and reason: by the reasons, the most frequent
/// first. Not all are named unless `verbose` says so.
pub fn by_reason(
    title: &str,
    refused: impl Iterator<Item = (String, String)>,
    verbose: bool,
) -> String {
    let mut by_reason: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, reason) in refused {
        by_reason.entry(reason).or_default().push(name);
    }
    let count: usize = by_reason.values().map(Vec::len).sum();
    if count == 0 {
        return String::new();
    }
    let mut groups: Vec<(String, Vec<String>)> = by_reason.into_iter().collect();
    groups.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
    let mut text = format!("{title}: {count}\n");
    for (reason, names) in groups {
        let shown = if verbose { names.len() } else { NAMED };
        let listed = names.iter().take(shown).map(|name| format!("`{name}`"));
        let mut listed: Vec<String> = listed.collect();
        if names.len() > shown {
            listed.push(format!("{} more", names.len() - shown));
        }
        text.push_str(&format!(
            "{:>5}  {reason}: {}\n",
            names.len(),
            listed.join(", ")
        ));
    }
    text
}

/// Reports whether all inputs were explored but those that are too long or too large.
fn is_cut_by_lengths(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::PassBounded { bounds } => bounds
            .iter()
            .all(|bound| matches!(bound.what, Bound::Size(_))),
        _ => false,
    }
}

/// Returns the verdict as it would be without its findings.
fn without_bug(verdict: &Verdict) -> Verdict {
    match verdict {
        Verdict::Bug {
            unsupported,
            bounds,
        } => match (unsupported.is_empty(), bounds.is_empty()) {
            (true, true) => Verdict::PassComplete,
            (true, false) => Verdict::PassBounded {
                bounds: bounds.clone(),
            },
            (false, _) => Verdict::Inconclusive {
                unsupported: unsupported.clone(),
                bounds: bounds.clone(),
            },
        },
        other => other.clone(),
    }
}

/// Returns the lines about a finding that does not count.
fn marked_apart(
    judgement: Judgement,
    report: &HarnessReport,
    detail: &FindingReport,
) -> Option<String> {
    let note = judgement.note()?;
    let finding = &detail.finding;
    let places = Places {
        here: std::env::current_dir().unwrap_or_default(),
        package: report.harness.manifest_dir.clone(),
    };
    let at = trace::user_places(&finding.trace).next();
    let at = at.or(finding.at.as_ref());
    let at = at.map_or_else(String::new, |at| format!(" at {}", places.show(at)));
    let call = detail.inputs.as_ref().map(|inputs| {
        let inputs = inputs.args.iter();
        let inputs: Vec<String> = inputs
            .map(|input| format!("{} = {}", input.name, input.source))
            .collect();
        format!(", with {}", inputs.join(", "))
    });
    Some(format!(
        "  {}{at}{}: {note}",
        finding.message.trim(),
        call.unwrap_or_default()
    ))
}
