//! The report as diagnostics in the form of rustc and cargo, which editors show beside the source:
//! rust-analyzer reads them where `check.overrideCommand` is set to this command.
//!
//! A line is a message of cargo, `compiler-message` for each finding and for each harness that
//! could not be judged, and `build-finished` at the end. The compiler's own messages come before.

use super::human;
use super::output;
use super::recorded::RunFacts;
use super::repository::Repository;
use super::rules::rule;
use super::verdict::describe_judged;
use crate::confirm::settle::stands;
use crate::confirm::test_case::Written;
use crate::confirm::{FindingReport, kind_name};
use crate::pipeline::HarnessReport;
use crate::pipeline::event::{Reporter, RunEvent};
use crate::pipeline::exit_code::ExitCode;
use crate::source::place::Places;
use crate::source::trace;
use serde_json::{Value, json};
use symex_types::outcome::{SourceLoc, Verdict};

/// Writes a run as diagnostics to `line`.
pub struct Diagnostics<F> {
    facts: RunFacts,
    line: F,
}

/// Returns the report that is printed in this form.
pub fn printed(facts: RunFacts) -> Diagnostics<fn(&Value)> {
    Diagnostics {
        facts,
        line: output::json,
    }
}

impl<F: FnMut(&Value)> Reporter for Diagnostics<F> {
    fn event(&mut self, event: RunEvent<'_>) {
        match event {
            RunEvent::RunStarted { .. } | RunEvent::HarnessNotRun(_) => {}
            RunEvent::HarnessFinished(report) => {
                messages(&self.facts, report)
                    .iter()
                    .for_each(&mut self.line);
            }
            RunEvent::RunFinished(summary) => {
                let success = summary.code == ExitCode::Pass;
                (self.line)(&json!({ "reason": "build-finished", "success": success }));
            }
        }
    }
}

/// Returns the messages about a harness.
fn messages(facts: &RunFacts, report: &HarnessReport) -> Vec<Value> {
    let writer = Writer {
        facts,
        report,
        // Names of files are relative to the workspace, as the compiler's are.
        places: Places {
            here: facts.workspace.clone(),
            package: report.harness.manifest_dir.clone(),
        },
    };
    let findings = report.findings.iter();
    let mut messages: Vec<Value> = findings.map(|detail| writer.finding(detail)).collect();
    if let Verdict::Inconclusive { .. } | Verdict::Vacuous { .. } = &report.verdict {
        messages.push(writer.verdict());
    }
    messages
}

/// Writes the messages about a harness.
struct Writer<'a> {
    facts: &'a RunFacts,
    report: &'a HarnessReport,
    places: Places,
}

impl Writer<'_> {
    fn finding(&self, detail: &FindingReport) -> Value {
        let finding = &detail.finding;
        let message = human::message(finding, &detail.replay);
        let shown = Repository::of(self.facts, self.report).place(self.report, finding);
        let shown = shown.map(|(at, _)| at).or_else(|| finding.at.clone());
        let label = shown
            .as_ref()
            .filter(|at| Some(*at) != finding.at.as_ref())
            .map(|_| "in a call from here");
        let mut children = Vec::new();
        if let Some(inputs) = human::inputs(detail) {
            let text = format!("found by {} with\n{inputs}", self.report.harness.name);
            children.push(child("note", &text, Vec::new()));
        }
        let line = |at: &SourceLoc| (self.places.full_path(at), at.line);
        let mut last = shown.as_ref().map(line);
        for at in trace::user_places(&finding.trace) {
            if last != Some(line(at)) {
                children.push(child("note", "on the way there", self.spans(at, None)));
                last = Some(line(at));
            }
        }
        let (what, how) = human::replayed(detail, false, &self.places);
        children.push(child("note", &format!("{what}: {how}"), Vec::new()));
        if let Some(Written::Written { path, name, .. } | Written::Known { path, name, .. }) =
            &detail.test
        {
            let text = format!("`{name}` in {} is a test of it", self.places.relative(path));
            children.push(child("help", &text, Vec::new()));
        }
        let level = match stands(detail) {
            true => "error",
            false => "warning",
        };
        let rule = rule(finding.kind);
        let explanation = format!("{} {}", rule.what, rule.advice);
        let text = human::finding(self.report, detail, &self.places, human::Calls::Shortest);
        self.message(json!({
            "$message_type": "diagnostic",
            "message": message,
            "code": { "code": format!("symex::{}", kind_name(finding.kind)), "explanation": explanation },
            "level": level,
            "spans": shown.map_or_else(Vec::new, |at| self.spans(&at, label)),
            "children": children,
            "rendered": plain(&text),
        }))
    }

    /// Returns the message that the harness could not be judged.
    fn verdict(&self) -> Value {
        let harness = &self.report.harness;
        let text = format!("{}: {}", harness.name, describe_judged(self.report));
        let place = harness.place();
        let spans = match place.line {
            0 => Vec::new(),
            _ => self.spans(&place, None),
        };
        let details = human::plain_details(self.report, &self.places).join("\n\n");
        self.message(json!({
            "$message_type": "diagnostic",
            "message": text,
            "code": { "code": "symex::verdict", "explanation": null },
            "level": "warning",
            "spans": spans,
            "children": [],
            "rendered": format!("warning: {text}\n{details}\n"),
        }))
    }

    /// Returns a diagnostic as cargo passes it on.
    fn message(&self, diagnostic: Value) -> Value {
        let harness = &self.report.harness;
        let package = &harness.package;
        let known = self.facts.packages.iter().find(|one| one.name == *package);
        let version = known.map_or("0.0.0", |one| &one.version);
        let folder = harness.manifest_dir.display();
        let place = harness.place();
        let source = self
            .places
            .file(&place)
            .unwrap_or_else(|| place.file.clone().into());
        json!({
            "reason": "compiler-message",
            "package_id": format!("path+file://{folder}#{package}@{version}"),
            "manifest_path": harness.manifest_dir.join("Cargo.toml"),
            "target": {
                "kind": [harness.target_kind],
                "crate_types": [match &*harness.target_kind {
                    "lib" => "lib",
                    _ => "bin",
                }],
                "name": harness.target,
                "src_path": source,
                "edition": "2021",
                "doc": false,
                "doctest": false,
                "test": true,
            },
            "message": diagnostic,
        })
    }

    /// Returns the span of a place: the expression there, as far as its line tells it. Without the
    /// source it is the place alone.
    fn spans(&self, at: &SourceLoc, label: Option<&str>) -> Vec<Value> {
        let file = self.places.full_path(at);
        let line = self.places.line(at);
        let before = || {
            let text = std::fs::read_to_string(self.places.file(at)?).ok()?;
            let lines = text.split_inclusive('\n');
            Some(
                lines
                    .take(at.line as usize - 1)
                    .map(str::len)
                    .sum::<usize>(),
            )
        };
        let span = match (&line, before()) {
            (Some(line), Some(before)) => {
                let column = |offset: usize| line.text[..offset].chars().count() + 1;
                let (start, end) = (line.span.start, line.span.end);
                json!({
                    "byte_start": before + start,
                    "byte_end": before + end,
                    "column_start": column(start),
                    "column_end": column(end),
                    "text": [{
                        "text": line.text,
                        "highlight_start": column(start),
                        "highlight_end": column(end),
                    }],
                })
            }
            _ => json!({
                "byte_start": 0,
                "byte_end": 0,
                "column_start": at.column.max(1),
                "column_end": at.column.max(1),
                "text": [],
            }),
        };
        let mut span = span;
        span["file_name"] = json!(file);
        span["line_start"] = json!(at.line);
        span["line_end"] = json!(at.line);
        span["is_primary"] = json!(true);
        for (key, value) in [
            ("label", json!(label)),
            ("suggested_replacement", Value::Null),
            ("suggestion_applicability", Value::Null),
            ("expansion", Value::Null),
        ] {
            span[key] = value;
        }
        vec![span]
    }
}

fn child(level: &str, message: &str, spans: Vec<Value>) -> Value {
    json!({
        "message": message,
        "code": null,
        "level": level,
        "spans": spans,
        "children": [],
        "rendered": null,
    })
}

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::example_run;
    use cargo_metadata::Message;
    use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel};

    #[test]
    fn cargos_own_reader_reads_the_messages() {
        let run = example_run();
        let mut lines = Vec::new();
        run.tell(&mut Diagnostics {
            facts: run.facts.clone(),
            line: |line: &Value| lines.push(line.to_string()),
        });
        let text = lines.join("\n");
        let messages: Vec<Message> = Message::parse_stream(text.as_bytes())
            .collect::<Result<_, _>>()
            .expect("messages of cargo");
        let diagnostics: Vec<_> = messages
            .iter()
            .filter_map(|message| match message {
                Message::CompilerMessage(message) => Some(&message.message),
                _ => None,
            })
            .collect();
        assert!(matches!(messages.last(), Some(Message::BuildFinished(end)) if !end.success));
        assert_eq!(messages.len(), diagnostics.len() + 1, "{text}");
        let code = |one: &&&Diagnostic| {
            let code = one.code.as_ref();
            code.is_some_and(|code| code.code == "symex::panic")
        };
        let first = diagnostics.iter().find(code).expect("a panic");
        assert_eq!(first.level, DiagnosticLevel::Error);
        assert_eq!(first.spans[0].line_start, 2);
        assert!(first.spans[0].is_primary);
        assert!(
            first
                .children
                .iter()
                .any(|one| one.message.contains("found by tests::parses with")),
            "{first:#?}"
        );
        let warnings = diagnostics
            .iter()
            .filter(|one| one.level == DiagnosticLevel::Warning);
        assert!(warnings.count() > 0, "{text}");
    }
}
