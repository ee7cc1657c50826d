//! A run as JSON, one object a line, told apart by `type`: what `--message-format json` prints, and
//! what is kept of a run.
//!
//! | `type` | when | fields |
//! |---|---|---|
//! | `run-started` | first | `version` of the tool, `schema` (2), `harnesses`: names, `packages` of the workspace `[{name, version}]`, `partition` (`hash:1/2`) or null, `require_complete`: whether a bounded pass counts as a failure, `program`: whether a program given as files was explored, `workspace` and `repository` (or null): their directories |
//! | `harness-left-out` | where its report would be; those with `#[ignore]` after the first line | what `harness-started` has, and `why`: `ignored` or `interrupted` |
//! | `harness-started` | before a harness's findings | `harness`, `package`, `target`, `target_kind`, `file`, `line`, `column`, `kind` (`harness`, `property-test`, `quick-check-test`, `bolero-test`, `fuzz-target`, `kani-proof`), `manifest_dir`: root of its package |
//! | `finding` | each finding, also those that do not count | `harness`, `kind`, `title`, `stands` (false: seen by the engine alone), `finding` (message, at, trace, `assumptions`: what the path took for granted, `earlier` `[{event, at}]`: where a reference was made (`reference-made`) and what took its permission (`read`, `write`), inputs `[{name, role, bytes, form}]`, where `form` is `number`, `bytes` or `either`, and a role `{kind: failure, call, descriptor, number, how}` is a call that fails, without bytes; …), `output` as text, `arguments` `{args: [{name, type, source, debug, redrawn}], call}` or null (`redrawn`: whether `source` makes the value from its draws, since it cannot be written), `replay` `{status: confirmed, not-reproduced (with `cut`: whether the run was cut at its time limit), failed or skipped, …}`, `test` `{status: written, known or not-written, path, name, text: what was or is to be in the file, …}` or null, `variants`: what `finding` has, of the same cause at the same place by other calls, `identity`: by what it is recognised when the code around it is edited, `{id, harness, kind, function, line}`, or null, `ignored`: the reason for which it does not count, or null |
//! | `harness-finished` | after a harness's findings | `harness`, `verdict` (`bug`, `pass-complete`, `pass-bounded`, `inconclusive`, `vacuous`), `verdict_text` as people read it, `findings`: what the lines of those that count have in `finding`, `unsupported` and `bounds`: `[{what, at, count}]`, what could not be done and what was left out on request, `vacuous`: why the harness tests nothing, or null, `covers`: `[[name, met]]`, `stats`, `cached`: whether the exploration is that of an earlier run, `resumable`: whether it stopped at a limit and `--resume` goes on from there, `native_paths`: `{ran, agree, different: {what, address_dependent, inputs} or null, failed}` with `--replay-paths`, else null, `coverage` with `--coverage`, else null: `files` by path, each with `places` `{run, not_run}`, lists of a line and its columns, `functions` `[{name, line, run}]` and `branches` `[{line, column, arms}]` with whether each arm was taken, `decisions`: the tree of decisions with `--html`, else null: `places`, `nodes` (a `fork` in two `sides` `at` a place, or `ends` of paths and the `forks` that are only counted), `roots`, `ways` to findings, `ignored`: `file`, in which findings are that do not count, and `unmatched`: those of them that are found no more |
//! | `summary` | last | `exit_code`, `exit_reason`, `interrupted`, `verdicts`: how many of each, `cached`: how many of an earlier run, `ignored_findings`: how many findings do not count, `filtered_out`: how many harnesses the filters left out |
//! | `error` | instead, when the command fails | `message`, `help`, `exit_code` |
//!
//! `cargo symex auto` adds lines, which `auto` describes.
//!
//! The role of an input is an object with `kind`: `program` (asked for by the program itself),
//! `argument` with `number`, `stdin`, `file` with `name`, or `variable` with `name`.
//!
//! Objects of one harness stand together, harnesses in the order of their names. New fields may be
//! added; `schema` changes when one changes or goes.

use super::output;
use super::recorded::{RecordedRun, RunFacts};
use super::summary::{self, VERDICTS};
use super::verdict::{describe_judged, word};
use crate::confirm::settle::stands;
use crate::confirm::{FindingReport, kind_name};
use crate::harness::TestHarness;
use crate::pipeline::HarnessReport;
use crate::pipeline::event::{Reporter, RunEvent, Summary};
use serde_json::{Value, json};
use symex_types::outcome::{Finding, Verdict};

/// Version of the form.
pub const SCHEMA: u32 = 2;

/// Writes the lines of a run to `line`.
pub struct Json<F> {
    version: String,
    facts: RunFacts,
    line: F,
}

/// Returns the form that prints a run with these facts.
pub fn printed(facts: RunFacts) -> Json<fn(&Value)> {
    Json {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        facts,
        line: output::json,
    }
}

/// Returns the text of a run.
pub fn text(run: &RecordedRun) -> String {
    let mut text = String::new();
    run.tell(&mut Json {
        version: run.version.clone(),
        facts: run.facts.clone(),
        line: |line: &Value| text.push_str(&format!("{line}\n")),
    });
    text
}

impl<F: FnMut(&Value)> Reporter for Json<F> {
    fn event(&mut self, event: RunEvent<'_>) {
        match event {
            RunEvent::RunStarted { harnesses, ignored } => {
                (self.line)(&run_started(&self.version, &self.facts, harnesses));
                for harness in ignored {
                    (self.line)(&left_out(harness, IGNORED));
                }
            }
            RunEvent::HarnessFinished(report) => {
                harness(report).iter().for_each(&mut self.line);
            }
            RunEvent::HarnessNotRun(harness) => (self.line)(&left_out(harness, INTERRUPTED)),
            RunEvent::RunFinished(run) => (self.line)(&self::summary(run)),
        }
    }
}

/// Reasons for which a harness was not run.
pub(super) const IGNORED: &str = "ignored";
pub(super) const INTERRUPTED: &str = "interrupted";

fn run_started(version: &str, facts: &RunFacts, harnesses: &[TestHarness]) -> Value {
    let names: Vec<&str> = harnesses.iter().map(|harness| &*harness.name).collect();
    let mut line = json!(facts);
    line["type"] = json!("run-started");
    line["version"] = json!(version);
    line["schema"] = json!(SCHEMA);
    line["harnesses"] = json!(names);
    line
}

/// Returns all lines of a harness.
fn harness(report: &HarnessReport) -> Vec<Value> {
    let name = &report.harness.name;
    let findings = report.findings.iter().map(|one| &one.finding);
    let findings: Vec<&Finding> = findings.collect();
    let mut lines = vec![started(&report.harness)];
    let findings_of = report.findings.iter().map(|one| (one, None));
    let ignored = report.ignored.findings.iter();
    let ignored = ignored.map(|one| (&one.detail, Some(&*one.reason)));
    let all = findings_of.chain(ignored);
    lines.extend(all.map(|(one, reason)| finding(&report.harness, one, reason)));
    lines.push(json!({
        "type": "harness-finished",
        "harness": name,
        "verdict": word(&report.verdict),
        "verdict_text": describe_judged(report),
        "findings": findings,
        "unsupported": report.verdict.unsupported(),
        "bounds": report.verdict.bounds(),
        "vacuous": match &report.verdict {
            Verdict::Vacuous { why, .. } => Some(why),
            _ => None,
        },
        "covers": report.covers,
        "stats": report.stats,
        "cached": report.cached,
        "resumable": report.resumable,
        "native_paths": report.paths,
        "coverage": report.coverage,
        "decisions": report.decisions,
        "ignored": {
            "file": report.ignored.file,
            "unmatched": report.ignored.unmatched,
        },
    }));
    lines
}

/// Returns the fields that identify a harness.
fn identity(harness: &TestHarness) -> Value {
    json!({
        "harness": harness.name,
        "package": harness.package,
        "target": harness.target,
        "target_kind": harness.target_kind,
        "file": harness.file,
        "line": harness.line,
    })
}

/// Returns what is said of a harness of a run.
fn of_run(harness: &TestHarness, line_type: &str) -> Value {
    let mut line = identity(harness);
    line["type"] = json!(line_type);
    line["column"] = json!(harness.column);
    line["kind"] = json!(harness.kind);
    line["manifest_dir"] = json!(harness.manifest_dir);
    line
}

fn started(harness: &TestHarness) -> Value {
    of_run(harness, "harness-started")
}

fn left_out(harness: &TestHarness, why: &str) -> Value {
    let mut line = of_run(harness, "harness-left-out");
    line["why"] = json!(why);
    line
}

/// Returns a line of `cargo symex list --message-format json`.
pub fn listed(harness: &TestHarness) -> Value {
    let mut line = identity(harness);
    line["type"] = json!("harness");
    line["arguments"] = json!(harness.args);
    line["ignored"] = json!(harness.ignored);
    line["should_panic"] = json!(harness.should_panic.is_some());
    line
}

fn finding(harness: &TestHarness, report: &FindingReport, ignored: Option<&str>) -> Value {
    let finding = &report.finding;
    let identity = report.identity.as_ref().map(|identity| {
        let mut fields = json!(identity);
        fields["id"] = json!(identity.id(&harness.package));
        fields
    });
    json!({
        "type": "finding",
        "harness": harness.name,
        "kind": kind_name(finding.kind),
        "title": finding.kind.title(),
        "stands": stands(report),
        "finding": finding,
        "output": String::from_utf8_lossy(&finding.output),
        "arguments": report.inputs,
        "replay": report.replay,
        "test": report.test,
        "variants": report.variants,
        "identity": identity,
        "ignored": ignored,
    })
}

fn summary(run: Summary<'_>) -> Value {
    let mut verdicts = serde_json::Map::new();
    for (name, _) in VERDICTS {
        let reports = run.reports.iter();
        let count = reports
            .filter(|report| word(&report.verdict) == name)
            .count();
        verdicts.insert(name.to_owned(), json!(count));
    }
    json!({
        "type": "summary",
        "exit_code": run.code.code(),
        "exit_reason": run.code.meaning(),
        "interrupted": run.interrupted,
        "verdicts": verdicts,
        "cached": summary::cached(run.reports),
        "ignored_findings": summary::ignored(run.reports),
        "filtered_out": run.filtered_out,
    })
}

/// Returns the only line of a command that failed.
pub fn error(message: &str, help: Option<&str>, exit_code: u8) -> Value {
    json!({ "type": "error", "message": message, "help": help, "exit_code": exit_code })
}
