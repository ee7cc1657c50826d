//! `--message-format json`: one JSON object a line on standard output, told apart by `type`.
//!
//! | `type` | when | fields |
//! |---|---|---|
//! | `run-started` | first | `version` of the tool, `schema` (1), `harnesses`: names |
//! | `harness-started` | before a harness's findings | `harness`, `package`, `target`, `target_kind`, `file`, `line` |
//! | `finding` | each finding | `harness`, `kind`, `title`, `stands` (false: seen by the engine alone), `finding` (message, at, trace, draws `[{name, role, bytes, form}]`, where `form` is `number`, `bytes` or `either`, and a role `{kind: failure, call, descriptor, number, how}` is a call that fails, without bytes; …), `output` as text, `inputs` `{args: [{name, type, source, debug}], call}` or null, `replay` `{status: confirmed, not-reproduced, failed or skipped, …}`, `test` `{status: written, known or not-written, …}` or null |
//! | `harness-finished` | after a harness's findings | `harness`, `verdict` (`bug`, `pass-complete`, `pass-bounded`, `inconclusive`, `vacuous`), `verdict_text` as people read it, `cached`: whether the exploration is that of an earlier run, `native_paths`: `{ran, agree, different: {what, address_dependent, inputs} or null, failed}` with `--replay-paths`, else null, `outcome`: `{verdict, gaps, cuts, findings, covers, stats}` |
//! | `summary` | last | `exit_code`, `exit_reason`, `interrupted`, `verdicts`: how many of each, `cached`: how many of an earlier run |
//! | `error` | instead, when the command fails | `message`, `help`, `exit_code` |
//!
//! The role of an input is an object with `kind`: `program` (asked for by the program itself), `argument` with `number`,
//! `stdin`, `file` with `name`, or `variable` with `name`.
//!
//! Objects of one harness stand together, harnesses in the order of their names. New fields may be added; `schema`
//! changes when one changes or goes.

use super::harness::Harness;
use super::human::kebab;
use super::summary::{self, VERDICTS};
use super::verdict::{describe, stands, word};
use super::{FindingReport, HarnessReport};
use serde_json::{Value, json};
use symex_types::outcome::Finding;

/// Version of the form.
pub const SCHEMA: u32 = 1;

/// First line of a run.
pub fn run_started(harnesses: &[&str]) -> Value {
    json!({
        "type": "run-started",
        "version": env!("CARGO_PKG_VERSION"),
        "schema": SCHEMA,
        "harnesses": harnesses,
    })
}

/// All lines of a harness.
pub fn harness(report: &HarnessReport) -> Vec<Value> {
    let mut lines = vec![started(&report.harness)];
    for (finding, detail) in report.outcome.findings.iter().zip(&report.findings) {
        lines.push(self::finding(&report.harness.name, finding, detail));
    }
    lines.push(json!({
        "type": "harness-finished",
        "harness": report.harness.name,
        "verdict": word(&report.outcome.verdict),
        "verdict_text": describe(&report.outcome.verdict),
        "cached": report.cached,
        "native_paths": report.paths,
        "outcome": report.outcome,
    }));
    lines
}

/// What a harness is, as `list` and `harness-started` tell it.
fn identity(harness: &Harness) -> Value {
    json!({
        "harness": harness.name,
        "package": harness.package,
        "target": harness.target,
        "target_kind": harness.target_kind,
        "file": harness.file,
        "line": harness.line,
    })
}

fn started(harness: &Harness) -> Value {
    let mut line = identity(harness);
    line["type"] = json!("harness-started");
    line
}

/// A line of `cargo symex list --message-format json`.
pub fn listed(harness: &Harness) -> Value {
    let mut line = identity(harness);
    line["type"] = json!("harness");
    line["arguments"] = json!(harness.args);
    line["ignored"] = json!(harness.ignored);
    line["should_panic"] = json!(harness.should_panic.is_some());
    line
}

fn finding(harness: &str, finding: &Finding, detail: &FindingReport) -> Value {
    json!({
        "type": "finding",
        "harness": harness,
        "kind": kebab(finding.kind),
        "title": finding.kind.title(),
        "stands": stands(finding, &detail.replay),
        "finding": finding,
        "output": String::from_utf8_lossy(&finding.output),
        "inputs": detail.inputs,
        "replay": detail.replay,
        "test": detail.test,
    })
}

/// Last line of a run.
pub fn summary(reports: &[HarnessReport], exit_code: u8, reason: &str, interrupted: bool) -> Value {
    let mut verdicts = serde_json::Map::new();
    for (name, _) in VERDICTS {
        let count = reports
            .iter()
            .filter(|report| word(&report.outcome.verdict) == name)
            .count();
        verdicts.insert(name.to_owned(), json!(count));
    }
    json!({
        "type": "summary",
        "exit_code": exit_code,
        "exit_reason": reason,
        "interrupted": interrupted,
        "verdicts": verdicts,
        "cached": summary::cached(reports),
    })
}

/// The only line of a command that failed.
pub fn error(message: &str, help: Option<&str>, exit_code: u8) -> Value {
    json!({ "type": "error", "message": message, "help": help, "exit_code": exit_code })
}
