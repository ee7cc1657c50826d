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

use super::judged::{Judge, Tally, by_reason};
use super::output;
use crate::auto::draft::Refusal;
use crate::auto::judge::judge;
use crate::auto::package::Chosen;
use crate::confirm::FindingReport;
use crate::judgement::Judgement;
use crate::pipeline::HarnessReport;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The judge of drafted harnesses, and what there is to say besides the report of the run.
pub struct Auto {
    /// Name of the library.
    library: String,
    /// Whether all functions without a harness are named.
    verbose: bool,
    /// The harnesses by the names of their functions.
    chosen: BTreeMap<String, Chosen>,
    refusals: Vec<Refusal>,
}

impl Auto {
    /// Creates the judge of the drafted harnesses of a library.
    pub fn new(
        library: String,
        chosen: Vec<Chosen>,
        refusals: Vec<Refusal>,
        verbose: bool,
    ) -> Self {
        let by_name = |chosen: Chosen| (chosen.form.name.clone(), chosen);
        Auto {
            library,
            verbose,
            chosen: chosen.into_iter().map(by_name).collect(),
            refusals,
        }
    }

    fn chosen(&self, report: &HarnessReport) -> Option<&Chosen> {
        self.chosen.get(report.harness.plain_function())
    }
}

impl Judge for Auto {
    fn judge(&self, report: &HarnessReport, finding: &FindingReport) -> Option<Judgement> {
        let chosen = self.chosen(report)?;
        Some(judge(&finding.finding, &report.harness, chosen))
    }

    fn json(&self, report: &HarnessReport, finding: &FindingReport, judgement: Judgement) -> Value {
        json!({
            "type": "auto-finding",
            "harness": report.harness.name,
            "function": self.chosen(report).map(|chosen| &chosen.draft.function),
            "judgement": judgement.name(),
            "message": finding.finding.message,
            "at": finding.finding.at,
        })
    }

    fn summary(&self, tally: &Tally) -> String {
        let drafted = self.chosen.len();
        let mut text = format!(
            "\nfunctions of `{}`: {} seen, {drafted} drafted, {} run: {}\n",
            self.library,
            drafted + self.refusals.len(),
            tally.reports.len(),
            tally.verdicts(),
        );
        text.push_str(&format!(
            "findings: {} of undefined behaviour, {} of panics; besides, {} that documentation promises, {} of memory that there \
             cannot be, {} while inputs were made\n",
            tally.judged(Judgement::Undefined),
            tally.judged(Judgement::Panic),
            tally.judged(Judgement::Promised),
            tally.judged(Judgement::Memory),
            tally.judged(Judgement::OfInputs),
        ));
        text.push_str(&refused(&self.refusals, self.verbose));
        text
    }

    fn json_summary(&self, tally: &Tally) -> Value {
        let refused: Vec<Value> = self.refusals.iter().map(refusal).collect();
        json!({
            "type": "auto-summary",
            "seen": self.chosen.len() + self.refusals.len(),
            "drafted": self.chosen.len(),
            "run": tally.reports.len(),
            "findings": tally.findings,
            "not_drafted": refused,
        })
    }
}

fn refusal(refusal: &Refusal) -> Value {
    json!({ "function": refusal.function, "reason": refusal.reason })
}

/// Returns the functions without a harness, by the reasons for that.
pub fn refused(refusals: &[Refusal], verbose: bool) -> String {
    let named = |refusal: &'_ Refusal| (refusal.function.clone(), refusal.reason.clone());
    by_reason("not drafted", refusals.iter().map(named), verbose)
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
