//! The report on drafted harnesses: that of any run, in which panics that documentation promises
//! are marked apart, and a summary of what was drafted and what was not.
//!
//! In JSON there are more lines than those of `json`:
//!
//! | `type` | when | fields |
//! |---|---|---|
//! | `auto-finding` | after a harness's other lines, for each finding | `harness`, `function`, `judgement` (`undefined`, `panic`, `promised-panic`, `memory`, `panic-of-inputs`), `message`, `at` |
//! | `auto-summary` | last | `seen`, `drafted`, `run`: numbers of functions, `findings`: how many of each judgement, `not_drafted`: `[{function, reason}]` |
//! | `draft` | with `--list` | `harness`, `function`, `file`, `line`, `may_panic`, `inputs_made_by` |
//! | `not-drafted` | with `--list` | `function`, `reason` |

use super::output;
use super::verdict::word;
use crate::auto::draft::Refusal;
use crate::auto::judge::{Judgement, judge};
use crate::auto::package::Chosen;
use crate::confirm::FindingReport;
use crate::pipeline::HarnessReport;
use crate::pipeline::event::{Reporter, RunEvent, Summary};
use crate::pipeline::exit_code::ExitCode;
use crate::source::place::Places;
use crate::source::trace;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use symex_types::outcome::{Bound, Verdict};

/// Most functions that are named with a reason.
const NAMED: usize = 4;

/// What there is to say besides the report of the run.
pub struct Auto {
    inner: Box<dyn Reporter>,
    is_json: bool,
    options: AutoOptions,
    /// The harnesses by the names of their functions.
    chosen: BTreeMap<String, Chosen>,
    refusals: Vec<Refusal>,
    /// Reports without the findings that do not count.
    reports: Vec<HarnessReport>,
    counts: BTreeMap<&'static str, usize>,
    code: Option<ExitCode>,
}

/// Choices for the report on drafted harnesses.
#[derive(Clone, Debug, Default)]
pub struct AutoOptions {
    /// Name of the library.
    pub library: String,
    /// Whether all functions without a harness are named.
    pub verbose: bool,
    /// Whether panics that documentation promises are bugs.
    pub promised_panics: bool,
    pub require_complete: bool,
    /// Whether nothing but JSON may be printed.
    pub is_json: bool,
    /// Whether the summary would not be read, as in libtest's form.
    pub is_silent: bool,
}

impl Auto {
    /// Creates a report around the one of the run.
    pub fn new(
        inner: Box<dyn Reporter>,
        chosen: Vec<Chosen>,
        refusals: Vec<Refusal>,
        options: AutoOptions,
    ) -> Self {
        let by_name = |chosen: Chosen| (chosen.form.name.clone(), chosen);
        Auto {
            inner,
            is_json: options.is_json,
            options,
            chosen: chosen.into_iter().map(by_name).collect(),
            refusals,
            reports: Vec::new(),
            counts: BTreeMap::new(),
            code: None,
        }
    }

    /// Returns the exit code, once the run has ended.
    pub fn code(&self) -> Option<ExitCode> {
        self.code
    }

    fn finished(&mut self, report: &HarnessReport) {
        let Some(chosen) = self.chosen.get(report.harness.plain_function()) else {
            self.inner.event(RunEvent::HarnessFinished(report));
            self.reports.push(report.clone());
            return;
        };
        let mut kept = report.clone();
        let (mut apart, mut lines) = (Vec::new(), Vec::new());
        kept.findings.clear();
        for finding in &report.findings {
            let judgement = judge(&finding.finding, &report.harness, chosen);
            *self.counts.entry(judgement.name()).or_default() += 1;
            match judgement.is_bug(self.options.promised_panics) {
                true => kept.findings.push(finding.clone()),
                false => apart.push((judgement, finding)),
            }
            lines.push(judged(report, chosen, finding, judgement));
        }
        if kept.findings.is_empty() && !apart.is_empty() {
            kept.verdict = without_bug(&kept.verdict);
        }
        self.inner.event(RunEvent::HarnessFinished(&kept));
        if self.is_json {
            lines.iter().for_each(output::json);
        }
        if !self.is_json && !self.options.is_silent {
            let mut told = BTreeSet::new();
            for (judgement, finding) in apart {
                // Other ways to the same end are not told.
                if told.insert((judgement.name(), finding.finding.message.clone()))
                    && let Some(line) = marked_apart(judgement, report, finding)
                {
                    output::line(&line);
                }
            }
        }
        self.reports.push(kept);
    }

    fn ended(&mut self, run: Summary<'_>) {
        let codes = self
            .reports
            .iter()
            .map(|report| ExitCode::of(&report.verdict, self.options.require_complete));
        let code = match run.code {
            // What has not to do with verdicts.
            ExitCode::Interrupted | ExitCode::BuildFailed => run.code,
            _ => codes.fold(ExitCode::Pass, ExitCode::and),
        };
        self.code = Some(code);
        self.inner.event(RunEvent::RunFinished(Summary {
            reports: &self.reports,
            code,
            ..run
        }));
        if self.is_json {
            output::json(&self.summary());
        } else if !self.options.is_silent {
            output::line(&self.text());
        }
    }

    fn count(&self, verdict: &str) -> usize {
        let reports = self.reports.iter();
        reports
            .filter(|report| word(&report.verdict) == verdict)
            .count()
    }

    fn judged(&self, judgement: Judgement) -> usize {
        self.counts
            .get(judgement.name())
            .copied()
            .unwrap_or_default()
    }

    fn text(&self) -> String {
        let drafted = self.chosen.len();
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
        let mut text = format!(
            "\nfunctions of `{}`: {} seen, {drafted} drafted, {} run: {}\n",
            self.options.library,
            drafted + self.refusals.len(),
            self.reports.len(),
            verdicts.join(", "),
        );
        text.push_str(&format!(
            "findings: {} of undefined behaviour, {} of panics; besides, {} that documentation promises, {} of memory that there \
             cannot be, {} while inputs were made\n",
            self.judged(Judgement::Undefined),
            self.judged(Judgement::Panic),
            self.judged(Judgement::Promised),
            self.judged(Judgement::Memory),
            self.judged(Judgement::OfInputs),
        ));
        text.push_str(&refused(&self.refusals, self.options.verbose));
        text
    }

    fn summary(&self) -> Value {
        let refused: Vec<Value> = self.refusals.iter().map(refusal).collect();
        json!({
            "type": "auto-summary",
            "seen": self.chosen.len() + self.refusals.len(),
            "drafted": self.chosen.len(),
            "run": self.reports.len(),
            "findings": self.counts,
            "not_drafted": refused,
        })
    }
}

impl Reporter for Auto {
    fn event(&mut self, event: RunEvent<'_>) {
        match event {
            RunEvent::HarnessFinished(report) => self.finished(report),
            RunEvent::RunFinished(run) => self.ended(run),
            other => self.inner.event(other),
        }
    }
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

fn judged(
    report: &HarnessReport,
    chosen: &Chosen,
    finding: &FindingReport,
    judgement: Judgement,
) -> Value {
    json!({
        "type": "auto-finding",
        "harness": report.harness.name,
        "function": chosen.draft.function,
        "judgement": judgement.name(),
        "message": finding.finding.message,
        "at": finding.finding.at,
    })
}

fn refusal(refusal: &Refusal) -> Value {
    json!({ "function": refusal.function, "reason": refusal.reason })
}

/// Returns the functions without a harness, by the reasons for that.
pub fn refused(refusals: &[Refusal], verbose: bool) -> String {
    if refusals.is_empty() {
        return String::new();
    }
    let mut by_reason: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for refusal in refusals {
        let functions = by_reason.entry(&refusal.reason).or_default();
        functions.push(&refusal.function);
    }
    let mut groups: Vec<(&str, Vec<&str>)> = by_reason.into_iter().collect();
    groups.sort_by_key(|(_, functions)| std::cmp::Reverse(functions.len()));
    let mut text = format!("not drafted: {}\n", refusals.len());
    for (reason, functions) in groups {
        let more = functions.len().saturating_sub(NAMED);
        let shown = if verbose { functions.len() } else { NAMED };
        let mut names: Vec<String> = functions
            .iter()
            .take(shown)
            .map(|name| format!("`{name}`"))
            .collect();
        if more > 0 && !verbose {
            names.push(format!("{more} more"));
        }
        text.push_str(&format!(
            "{:>5}  {reason}: {}\n",
            functions.len(),
            names.join(", ")
        ));
    }
    text
}

/// Prints what is drafted and what is not.
pub fn list(chosen: &[Chosen], refusals: &[Refusal], is_json: bool) {
    for chosen in chosen {
        let (file, line) = &chosen.draft.place;
        match is_json {
            true => output::json(&json!({
                "type": "draft",
                "harness": chosen.form.name,
                "function": chosen.draft.function,
                "file": file,
                "line": line,
                "may_panic": chosen.draft.may_panic,
                "inputs_made_by": chosen.form.makers,
            })),
            false => output::line(&format!(
                "{}  `{}`  {file}:{line}",
                chosen.form.name, chosen.draft.function
            )),
        }
    }
    match is_json {
        true => refusals.iter().map(refusal).for_each(|mut line| {
            line["type"] = json!("not-drafted");
            output::json(&line);
        }),
        false => output::line(&format!(
            "\n{} drafted\n{}",
            chosen.len(),
            refused(refusals, true)
        )),
    }
}
