//! A run as SARIF 2.1.0, the form in which code scanning takes results: a result for each finding
//! (suppressed, if it does not count), a rule for each kind of finding there is, and a notification
//! for each harness that says nothing about the code.
//!
//! Paths are relative to the root of the repository. What identifies a finding between runs is its
//! fingerprint: of its harness, kind, function and source line, not of line numbers and inputs,
//! which change without it.

use super::human;
use super::recorded::RecordedRun;
use super::repository::{Repository, SourceFile};
use super::rules::rule;
use super::verdict::{describe_judged, word};
use crate::confirm::replay::Replay;
use crate::confirm::settle::stands;
use crate::confirm::test_case::Written;
use crate::confirm::{FindingReport, kind_name};
use crate::pipeline::HarnessReport;
use crate::pipeline::exit_code::ExitCode;
use crate::source::identity;
use crate::source::place::Places;
use crate::source::trace;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use symex_types::outcome::frame_owner::{FrameOwner, frame_owner};
use symex_types::outcome::{EarlierEvent, FindingKind, SourceLoc, TraceFrame, Verdict};

/// Place of the schema, which viewers look at.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Name of the root of the repository.
const ROOT: &str = "%SRCROOT%";

/// Name of the fingerprint; the number changes with what it is made of.
const FINGERPRINT: &str = "symexFinding/v1";

/// Characters of a path that stand for something else in a URI.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Returns the text of a run.
pub fn text(run: &RecordedRun) -> String {
    format!("{:#}\n", log(run))
}

/// Returns the log of a run.
pub fn log(run: &RecordedRun) -> Value {
    let findings = run.reports.iter().flat_map(all);
    let kinds = findings.map(|(one, _)| (kind_name(one.finding.kind), one.finding.kind));
    let kinds: BTreeMap<String, FindingKind> = kinds.collect();
    let rules: Vec<&String> = kinds.keys().collect();
    let mut seen = HashMap::new();
    let mut results = Vec::new();
    for report in &run.reports {
        let places = Repository::of(&run.facts, report);
        for (finding, ignored) in all(report) {
            let mut result = result(run, report, finding, &places);
            // An empty list says that it counts: all results have the list, or none.
            let suppression =
                ignored.map(|reason| json!({ "kind": "external", "justification": reason }));
            result["suppressions"] = json!(suppression.into_iter().collect::<Vec<Value>>());
            result["ruleIndex"] = json!(rules.iter().position(|rule| result["ruleId"] == **rule));
            let base = fingerprint(report, finding, &places);
            // Equal lines of one function are told apart by their order.
            let number: &mut usize = seen.entry(base.clone()).or_default();
            let identity = format!("{base}:{number}");
            *number += 1;
            result["partialFingerprints"] = json!({ FINGERPRINT: identity });
            results.push(result);
        }
    }
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "cargo-symex",
                "version": run.version,
                "semanticVersion": run.version,
                "rules": kinds.iter().map(|(id, kind)| descriptor(id, *kind)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": {
                ROOT: { "description": { "text": "The root of the repository." } },
            },
            "invocations": [invocation(run)],
            "results": results,
        }],
    })
}

/// Returns the findings of a harness: those that count, then the others with the reason.
fn all(report: &HarnessReport) -> impl Iterator<Item = (&FindingReport, Option<&str>)> {
    let findings = report.findings.iter().map(|one| (one, None));
    let ignored = report.ignored.findings.iter();
    findings.chain(ignored.map(|one| (&one.detail, Some(&*one.reason))))
}

fn descriptor(id: &str, kind: FindingKind) -> Value {
    let rule = rule(kind);
    let class = match kind.may_be_silent() && kind != FindingKind::Leak {
        true => "undefined-behaviour",
        false => "correctness",
    };
    json!({
        "id": id,
        "shortDescription": { "text": kind.title() },
        "fullDescription": { "text": rule.what },
        "help": { "text": format!("{} {}", rule.what, rule.advice) },
        "defaultConfiguration": { "level": "error" },
        "properties": { "tags": [class] },
    })
}

/// Says how the run ended, and which harnesses say nothing about the code, or not all.
fn invocation(run: &RecordedRun) -> Value {
    let mut notifications = Vec::new();
    for report in &run.reports {
        let level = match &report.verdict {
            Verdict::Bug { .. } | Verdict::PassComplete => continue,
            Verdict::PassBounded { .. } if run.facts.require_complete => "error",
            Verdict::PassBounded { .. } => "note",
            Verdict::Inconclusive { .. } | Verdict::Vacuous { .. } => "warning",
        };
        let text = format!("{}: {}", report.harness.name, describe_judged(report));
        let place = report.harness.place();
        let locations = match place.line {
            0 => json!([]),
            _ => json!([location(&place, &Repository::of(&run.facts, report))]),
        };
        notifications.push(json!({
            "level": level,
            "message": { "text": text },
            "locations": locations,
        }));
    }
    notifications.extend(run.not_run.iter().map(|harness| {
        let text = format!("{}: interrupted before it was started", harness.name);
        json!({ "level": "warning", "message": { "text": text } })
    }));
    let is_successful = !matches!(
        run.code,
        ExitCode::Usage | ExitCode::Output | ExitCode::BuildFailed | ExitCode::Interrupted
    );
    json!({
        "executionSuccessful": is_successful,
        "exitCode": run.code.code(),
        "exitCodeDescription": run.code.meaning(),
        "toolExecutionNotifications": notifications,
    })
}

fn result(
    run: &RecordedRun,
    report: &HarnessReport,
    detail: &FindingReport,
    places: &Repository<'_>,
) -> Value {
    let finding = &detail.finding;
    let level = match stands(detail) {
        true => "error",
        false => "warning",
    };
    let shown = places.place(report, finding);
    let shown: Vec<Value> = shown.iter().map(|(at, _)| location(at, places)).collect();
    let frames = trace::within_harness(&finding.trace).iter();
    let frames: Vec<&TraceFrame> = frames
        .filter(|frame| frame_owner(frame) != FrameOwner::Glue)
        .collect();
    let mut result = json!({
        "ruleId": kind_name(finding.kind),
        "kind": "fail",
        "level": level,
        "message": { "text": message(run, report, detail) },
        "locations": shown,
        "occurrenceCount": finding.repeats + 1,
        "relatedLocations": related(run, report, detail, places),
        "properties": properties(report, detail),
    });
    if !frames.is_empty() {
        let frames: Vec<Value> = frames.iter().map(|one| frame(one, places)).collect();
        result["stacks"] =
            json!([{ "message": { "text": "the calls that lead there" }, "frames": frames }]);
    }
    let steps = flow(&frames, places);
    if !steps.is_empty() {
        result["codeFlows"] = json!([{ "threadFlows": [{ "locations": steps }] }]);
    }
    result
}

/// Returns what a reader sees of a finding beside the source. Braces are not doubled, as the form
/// asks for where a message has arguments: this one has none, and readers show it as it is.
fn message(run: &RecordedRun, report: &HarnessReport, detail: &FindingReport) -> String {
    let places = Places {
        here: run.facts.root().to_owned(),
        package: report.harness.manifest_dir.clone(),
    };
    let mut text = human::message(&detail.finding, &detail.replay);
    text.push_str(&format!("\n\nFound by the harness {}", report.harness.name));
    if let Some(inputs) = human::inputs(detail) {
        text.push_str(&format!(" with\n{inputs}"));
    }
    let (label, how) = human::replayed(detail, false, &places);
    text.push_str(&format!("\n\n{label}: {how}"));
    text
}

fn properties(report: &HarnessReport, detail: &FindingReport) -> Value {
    let inputs: Map<String, Value> = match &detail.inputs {
        Some(typed) if !typed.args.is_empty() => {
            let args = typed.args.iter();
            args.map(|arg| (arg.name.clone(), json!(arg.shown())))
                .collect()
        }
        _ => {
            let inputs = detail.finding.inputs.iter();
            inputs
                .map(|input| (input.name.clone(), json!(human::input(input))))
                .collect()
        }
    };
    let replay = match &detail.replay {
        Replay::Confirmed { .. } => "confirmed",
        Replay::NotReproduced { .. } => "not-reproduced",
        Replay::Failed { .. } => "failed",
        Replay::Skipped { .. } => "skipped",
    };
    json!({
        "harness": report.harness.name,
        "package": report.harness.package,
        "target": report.harness.target,
        "verdict": word(&report.verdict),
        "inputs": inputs,
        "replay": replay,
    })
}

/// Returns further places that explain a finding, each with what it is.
fn related(
    run: &RecordedRun,
    report: &HarnessReport,
    detail: &FindingReport,
    places: &Repository<'_>,
) -> Vec<Value> {
    let finding = &detail.finding;
    let mut related: Vec<(String, &SourceLoc)> = Vec::new();
    let shown = places.place(report, finding).map(|(at, _)| at);
    if let Some(at) = finding.at.as_ref().filter(|at| Some(*at) != shown.as_ref()) {
        related.push(("the fault".to_owned(), at));
    }
    let allocated = finding.allocated_at.iter();
    related.extend(allocated.map(|at| ("allocated here".to_owned(), at)));
    related.extend(finding.earlier.iter().map(|earlier| {
        let what = match earlier.event {
            EarlierEvent::ReferenceMade => "the reference is made here",
            EarlierEvent::Read => "the read since",
            EarlierEvent::Write => "the write since",
            EarlierEvent::OtherThreadRead => "another thread reads",
            EarlierEvent::OtherThreadWaits => "another thread waits",
            EarlierEvent::Panic => "a panic",
            EarlierEvent::OtherThreadPanicked => "another thread panics",
            EarlierEvent::Freed => "freed here",
            EarlierEvent::OtherThreadWrote => "another thread writes",
        };
        (human::with_text(what.to_owned(), earlier), &earlier.at)
    }));
    let harness = report.harness.place();
    if harness.line > 0 {
        related.push(("the harness".to_owned(), &harness));
    }
    let mut related: Vec<Value> = related
        .into_iter()
        .map(|(what, at)| {
            let mut location = location(at, places);
            location["message"] = json!({ "text": what });
            location
        })
        .collect();
    if let Some(Written::Written { path, name, .. } | Written::Known { path, name, .. }) =
        &detail.test
    {
        related.push(json!({
            "message": { "text": format!("the regression test {name}") },
            "physicalLocation": { "artifactLocation": artifact(&owned(path, run)) },
        }));
    }
    related
}

/// Returns the user's calls, the outermost first, as steps to the fault.
fn flow(frames: &[&TraceFrame], places: &Repository<'_>) -> Vec<Value> {
    let user = frames.iter().rev();
    let user = user.filter(|frame| frame_owner(frame) == FrameOwner::User && frame.at.is_some());
    user.enumerate()
        .map(|(level, one)| {
            let mut location = frame(one, places)["location"].take();
            location["message"] = json!({ "text": one.function });
            json!({ "location": location, "nestingLevel": level })
        })
        .collect()
}

fn frame(frame: &TraceFrame, places: &Repository<'_>) -> Value {
    let mut location = match &frame.at {
        Some(at) => location(at, places),
        None => json!({}),
    };
    location["logicalLocations"] = json!([{
        "fullyQualifiedName": frame.function,
        "kind": "function",
    }]);
    json!({ "location": location })
}

fn location(at: &SourceLoc, places: &Repository<'_>) -> Value {
    let mut physical = json!({ "artifactLocation": artifact(&places.file(at)) });
    if at.line > 0 {
        physical["region"] = json!({ "startLine": at.line });
        if at.column > 0 {
            physical["region"]["startColumn"] = json!(at.column);
        }
    }
    json!({ "physicalLocation": physical })
}

fn artifact(file: &SourceFile) -> Value {
    let uri = |path: &Path| utf8_percent_encode(&path.to_string_lossy(), ESCAPED).to_string();
    match file {
        SourceFile::Own(path) => json!({ "uri": uri(path), "uriBaseId": ROOT }),
        SourceFile::Foreign(path) => json!({ "uri": format!("file://{}", uri(path)) }),
    }
}

fn owned(path: &Path, run: &RecordedRun) -> SourceFile {
    match path.strip_prefix(run.facts.root()) {
        Ok(own) => SourceFile::Own(own.to_owned()),
        Err(_) => SourceFile::Foreign(path.to_owned()),
    }
}

/// Returns a hash of what a finding is about.
fn fingerprint(report: &HarnessReport, detail: &FindingReport, places: &Repository<'_>) -> String {
    let (harness, finding) = (&report.harness, &detail.finding);
    let (line, path) = match places.place(report, finding) {
        Some((at, path)) => (
            identity::source_line(&harness.manifest_dir, &at),
            path.display().to_string(),
        ),
        None => (None, String::new()),
    };
    let parts = [
        &*harness.package,
        &harness.target_kind,
        &harness.target,
        &harness.name,
        &kind_name(finding.kind),
        finding.check.as_deref().unwrap_or_default(),
        &path,
        identity::function(finding).unwrap_or_default(),
        line.as_deref().unwrap_or_default(),
    ];
    identity::hash(&parts)[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::example_run;

    #[test]
    fn a_result_has_place_stack_flow_and_related_places() {
        let log = log(&example_run());
        let run = &log["runs"][0];
        let [panic, silent] = &run["results"].as_array().unwrap()[..] else {
            panic!("two results: {log:#}");
        };
        assert_eq!(panic["ruleId"], "panic");
        assert_eq!(panic["level"], "error");
        assert_eq!(panic["occurrenceCount"], 2);
        let rules = &run["tool"]["driver"]["rules"];
        assert_eq!(
            rules[panic["ruleIndex"].as_u64().unwrap() as usize]["id"],
            "panic"
        );
        assert_eq!(rules.as_array().unwrap().len(), 2);
        assert_eq!(
            panic["locations"][0]["physicalLocation"],
            json!({
                "artifactLocation": { "uri": "parts/src/lib.rs", "uriBaseId": ROOT },
                "region": { "startLine": 2, "startColumn": 5 },
            })
        );
        let text = panic["message"]["text"].as_str().unwrap();
        assert!(
            text.starts_with("index out of bounds: the len is 2 but the index is 9\n"),
            "{text}"
        );
        assert!(
            text.contains("Found by the harness tests::parses with\nindex: u32 = 9\n"),
            "{text}"
        );
        assert_eq!(panic["properties"]["inputs"], json!({ "index": "9" }));
        // Outermost first in the flow, innermost first in the stack.
        let steps = &panic["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(
            steps[0]["location"]["message"]["text"],
            "parser::tests::parses"
        );
        assert_eq!(steps[1]["location"]["message"]["text"], "parser::parse");
        assert_eq!(steps.as_array().unwrap().len(), 2);
        let frames = &panic["stacks"][0]["frames"];
        assert_eq!(
            frames[0]["location"]["physicalLocation"]["artifactLocation"]["uri"],
            "file:///rustc/1/library/core/src/panicking.rs"
        );
        let related = panic["relatedLocations"].as_array().unwrap();
        let test = &related.last().unwrap()["physicalLocation"]["artifactLocation"];
        assert_eq!(test["uri"], "parts/symex-regressions/tests.rs");

        let at = &silent["locations"][0]["physicalLocation"];
        assert_eq!(at["artifactLocation"]["uri"], "parts/src/my%20file.rs");
        assert_eq!(at["region"], json!({ "startLine": 7 }));
        let told: Vec<&str> = silent["relatedLocations"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["message"]["text"].as_str().unwrap())
            .collect();
        assert_eq!(
            told,
            [
                "allocated here",
                "the reference is made here",
                "the harness"
            ]
        );

        let invocation = &run["invocations"][0];
        assert_eq!(invocation["exitCode"], 130);
        assert_eq!(invocation["executionSuccessful"], false);
        let levels: Vec<&str> = invocation["toolExecutionNotifications"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["level"].as_str().unwrap())
            .collect();
        assert_eq!(levels, ["note", "warning", "warning", "warning"]);
    }

    #[test]
    fn a_fingerprint_survives_edits_elsewhere_and_tells_findings_apart() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("src")).unwrap();
        let source = directory.path().join("src/lib.rs");
        let mut run = example_run();
        run.facts.workspace = directory.path().to_owned();
        run.facts.repository = None;
        let report = &mut run.reports[2];
        report.harness.manifest_dir = directory.path().to_owned();
        let panic = report.findings[0].clone();
        report.findings = vec![panic.clone(), panic];
        let prints = |run: &RecordedRun| -> Vec<String> {
            let log = log(run);
            let results = log["runs"][0]["results"].as_array().unwrap();
            let print = |result: &Value| result["partialFingerprints"][FINGERPRINT].to_string();
            results.iter().map(print).collect()
        };
        std::fs::write(&source, "fn parse() {\n    data[index]\n}\n").unwrap();
        let before = prints(&run);
        assert_ne!(before[0], before[1]);
        // Lines above, other inputs and another message.
        std::fs::write(
            &source,
            "\n// More.\nfn parse() {\n        data[index]\n}\n",
        )
        .unwrap();
        for detail in &mut run.reports[2].findings {
            detail.finding.at.as_mut().unwrap().line = 4;
            detail.finding.message = "index out of bounds: the index is 12".into();
            detail.finding.inputs[0].bytes[0] = 12;
        }
        assert_eq!(prints(&run), before);
        run.reports[2].findings[0].finding.kind = FindingKind::OutOfBounds;
        assert_ne!(prints(&run)[0], before[0]);
    }
}
