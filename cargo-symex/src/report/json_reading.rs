//! Reads a run from the JSON lines that `json` writes. Lines of other types are skipped: they
//! belong to commands that judge findings, and do not change the report of the run.

use super::json::{IGNORED, SCHEMA};
use super::recorded::{RecordedRun, RunFacts};
use crate::confirm::FindingReport;
use crate::confirm::path_replay::PathReplays;
use crate::confirm::replay::{Replay, TypedInputs};
use crate::confirm::test_case::Written;
use crate::harness::{HarnessKind, TestHarness};
use crate::ignored::{Entry, Ignored, IgnoredFinding};
use crate::pipeline::HarnessReport;
use crate::pipeline::exit_code::ExitCode;
use crate::source::identity::Identity;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::PathBuf;
use symex_types::outcome::coverage::SourceCoverage;
use symex_types::outcome::decision_tree::DecisionTree;
use symex_types::outcome::{Bound, Counted, Finding, Stats, Unsupported, Verdict};

#[derive(Deserialize)]
struct RunStarted {
    version: String,
    harnesses: Vec<String>,
    #[serde(flatten)]
    facts: RunFacts,
}

#[derive(Deserialize)]
struct Harness {
    harness: String,
    package: String,
    target: String,
    target_kind: String,
    file: String,
    line: u32,
    column: u32,
    kind: HarnessKind,
    manifest_dir: PathBuf,
}

#[derive(Deserialize)]
struct LeftOut {
    #[serde(flatten)]
    harness: Harness,
    why: String,
}

#[derive(Deserialize)]
struct FindingLine {
    finding: Finding,
    arguments: Option<TypedInputs>,
    replay: Replay,
    test: Option<Written>,
    #[serde(default)]
    variants: Vec<Finding>,
    #[serde(default)]
    identity: Option<Identity>,
    #[serde(default)]
    ignored: Option<String>,
}

#[derive(Deserialize)]
struct Finished {
    verdict: String,
    unsupported: Vec<Counted<Unsupported>>,
    bounds: Vec<Counted<Bound>>,
    vacuous: Option<String>,
    covers: Vec<(String, bool)>,
    stats: Stats,
    cached: bool,
    #[serde(default)]
    resumable: bool,
    native_paths: Option<PathReplays>,
    #[serde(default)]
    coverage: Option<SourceCoverage>,
    #[serde(default)]
    decisions: Option<DecisionTree>,
    #[serde(default)]
    ignored: IgnoredLine,
}

#[derive(Default, Deserialize)]
struct IgnoredLine {
    file: PathBuf,
    unmatched: Vec<Entry>,
}

#[derive(Deserialize)]
struct SummaryLine {
    exit_code: u8,
    interrupted: bool,
    filtered_out: usize,
}

#[derive(Deserialize)]
struct Failed {
    message: String,
}

/// The lines read so far.
#[derive(Default)]
struct Reading {
    started: Option<RunStarted>,
    harnesses: Vec<TestHarness>,
    ignored: Vec<TestHarness>,
    not_run: Vec<TestHarness>,
    reports: Vec<HarnessReport>,
    /// The harness whose lines are read, its findings, and those that do not count.
    open: Option<(TestHarness, Vec<FindingReport>, Vec<IgnoredFinding>)>,
    summary: Option<SummaryLine>,
}

/// Reads a run. Fails with the reason, and the line that is wrong.
pub fn read(text: &str) -> Result<RecordedRun, String> {
    let mut reading = Reading::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() {
            let read = reading.line(line);
            read.map_err(|reason| format!("line {}: {reason}", number + 1))?;
        }
    }
    reading.finish()
}

impl Reading {
    fn line(&mut self, text: &str) -> Result<(), String> {
        let value: Value = serde_json::from_str(text).map_err(|error| {
            format!("it is not JSON as `--message-format json` has it: {error}")
        })?;
        match value["type"].as_str() {
            Some("run-started") => self.started(value),
            Some("harness-left-out") => {
                let LeftOut { harness, why } = typed(value)?;
                let ignored = why == IGNORED;
                let harness = harness.into_harness(ignored);
                if ignored {
                    self.ignored.push(harness);
                } else {
                    self.harnesses.push(harness.clone());
                    self.not_run.push(harness);
                }
                Ok(())
            }
            Some("harness-started") => {
                let harness: Harness = typed(value)?;
                self.open = Some((harness.into_harness(false), Vec::new(), Vec::new()));
                Ok(())
            }
            Some("finding") => {
                let finding: FindingLine = typed(value)?;
                let open = self.open.as_mut().ok_or("a finding of no harness")?;
                let (_, findings, ignored) = open;
                let detail = FindingReport {
                    finding: finding.finding,
                    replay: finding.replay,
                    inputs: finding.arguments,
                    test: finding.test,
                    variants: finding.variants,
                    identity: finding.identity,
                };
                match finding.ignored {
                    Some(reason) => ignored.push(IgnoredFinding { detail, reason }),
                    None => findings.push(detail),
                }
                Ok(())
            }
            Some("harness-finished") => self.finished(typed(value)?),
            Some("summary") => {
                self.summary = Some(typed(value)?);
                Ok(())
            }
            Some("error") => {
                let failed: Failed = typed(value)?;
                Err(format!("the command failed: {}", failed.message))
            }
            _ => Ok(()),
        }
    }

    fn started(&mut self, value: Value) -> Result<(), String> {
        if value["schema"] != SCHEMA {
            return Err(format!(
                "it has the form of another version of this tool: `schema` is {}, not {SCHEMA}",
                value["schema"]
            ));
        }
        if self.started.is_some() {
            return Err("a second run begins".to_owned());
        }
        self.started = Some(typed(value)?);
        Ok(())
    }

    fn finished(&mut self, line: Finished) -> Result<(), String> {
        let open = self.open.take().ok_or("an end of no harness")?;
        let (harness, findings, ignored) = open;
        let Finished {
            unsupported,
            bounds,
            ..
        } = line;
        let verdict = match &*line.verdict {
            "bug" => Verdict::Bug {
                unsupported,
                bounds,
            },
            "pass-complete" => Verdict::PassComplete,
            "pass-bounded" => Verdict::PassBounded { bounds },
            "inconclusive" => Verdict::Inconclusive {
                unsupported,
                bounds,
            },
            "vacuous" => Verdict::Vacuous {
                why: line.vacuous.unwrap_or_default(),
                bounds,
            },
            other => return Err(format!("unknown verdict `{other}`")),
        };
        self.harnesses.push(harness.clone());
        self.reports.push(HarnessReport {
            harness,
            verdict,
            findings,
            covers: line.covers,
            stats: line.stats,
            paths: line.native_paths,
            cached: line.cached,
            resumable: line.resumable,
            coverage: line.coverage,
            decisions: line.decisions,
            ignored: Ignored {
                file: line.ignored.file,
                findings: ignored,
                unmatched: line.ignored.unmatched,
            },
        });
        Ok(())
    }

    fn finish(self) -> Result<RecordedRun, String> {
        let started = self
            .started
            .ok_or("it has no line `run-started`, so it is no report of a run")?;
        let summary = self
            .summary
            .ok_or("it has no line `summary`: the run did not come to its end")?;
        if started.harnesses.len() != self.harnesses.len() {
            return Err("lines of some harnesses are missing".to_owned());
        }
        let code = ExitCode::from_code(summary.exit_code)
            .ok_or_else(|| format!("unknown exit code {}", summary.exit_code))?;
        Ok(RecordedRun {
            version: started.version,
            facts: started.facts,
            harnesses: self.harnesses,
            ignored: self.ignored,
            reports: self.reports,
            not_run: self.not_run,
            filtered_out: summary.filtered_out,
            code,
            interrupted: summary.interrupted,
        })
    }
}

impl Harness {
    fn into_harness(self, ignored: bool) -> TestHarness {
        TestHarness {
            name: self.harness,
            package: self.package,
            target: self.target,
            target_kind: self.target_kind,
            file: self.file,
            line: self.line,
            column: self.column,
            kind: self.kind,
            manifest_dir: self.manifest_dir,
            ignored,
            ..TestHarness::default()
        }
    }
}

fn typed<T: DeserializeOwned>(value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value)
        .map_err(|error| format!("`{}` is wrong: {}", error.path(), error.inner()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::example_run;
    use crate::report::json;

    #[test]
    fn a_run_is_read_as_it_was_written() {
        let text = json::text(&example_run());
        let read = read(&text).unwrap();
        assert_eq!(json::text(&read), text);
        assert_eq!(read.not_run.len(), 1);
        assert_eq!(read.ignored.len(), 1);
    }

    #[test]
    fn what_does_not_count_is_read_as_it_was_written() {
        let mut run = example_run();
        let report = &mut run.reports[2];
        let mut detail = report.findings.remove(0);
        let identity = Identity {
            harness: "tests::parses".to_owned(),
            kind: detail.finding.kind,
            function: "parser::parse".to_owned(),
            line: "data[index]".to_owned(),
        };
        detail.identity = Some(identity.clone());
        let reason = "known".to_owned();
        let entry = Entry::new(&identity, "fixed").unwrap();
        report.ignored = Ignored {
            file: "/repo/parts/symex-ignored.toml".into(),
            findings: vec![IgnoredFinding { detail, reason }],
            unmatched: vec![entry.clone()],
        };
        let text = json::text(&run);
        let read = read(&text).unwrap();
        assert_eq!(json::text(&read), text);
        let (report, ignored) = (&read.reports[2], &read.reports[2].ignored);
        assert_eq!((report.findings.len(), ignored.findings.len()), (1, 1));
        assert_eq!(ignored.findings[0].detail.identity, Some(identity));
        assert_eq!(ignored.unmatched, [entry]);
    }

    #[test]
    fn lines_of_other_types_are_skipped() {
        let run = json::text(&example_run());
        let (first, rest) = run.split_once('\n').unwrap();
        let text = format!("{first}\n{{\"type\":\"auto-finding\"}}\n\n{rest}");
        assert_eq!(json::text(&read(&text).unwrap()), run);
    }

    #[test]
    fn what_is_no_whole_report_is_refused_with_the_reason() {
        let run = json::text(&example_run());
        let lines: Vec<&str> = run.lines().collect();
        let without = |kind: &str| {
            let kind = format!("\"type\":\"{kind}\"");
            let kept = lines.iter().filter(|line| !line.contains(&kind));
            kept.copied().collect::<Vec<&str>>().join("\n")
        };
        for (text, reason) in [
            ("running 1 harness".to_owned(), "line 1: it is not JSON"),
            (String::new(), "no line `run-started`"),
            (without("summary"), "did not come to its end"),
            (
                without("harness-finished"),
                "lines of some harnesses are missing",
            ),
            (without("harness-started"), "an end of no harness"),
            (format!("{run}{run}"), "a second run begins"),
            (
                run.replace("\"schema\":2", "\"schema\":1"),
                "`schema` is 1, not 2",
            ),
            (
                r#"{"type":"error","message":"no harness found","exit_code":5}"#.to_owned(),
                "the command failed: no harness found",
            ),
            (
                run.replacen("\"line\":", "\"lines\":", 1),
                "missing field `line`",
            ),
        ] {
            let error = read(&text).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }
}
