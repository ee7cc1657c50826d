//! What a run says to GitHub Actions: a command for each finding, which shows it beside the source
//! of a pull request, a warning for each harness that could not be judged, and the summary of the
//! job. Findings that do not count are in the summary alone.
//!
//! Commands go to standard error, where the runner looks for them as well, so that standard output
//! stays what was asked for.

use super::recorded::RecordedRun;
use super::repository::{Repository, SourceFile};
use super::verdict::describe_judged;
use super::{human, ignored, markdown, output};
use crate::confirm::settle::stands;
use crate::confirm::{FindingReport, kind_name};
use crate::pipeline::HarnessReport;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use symex_types::outcome::Verdict;

/// What the environment says of the job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Job {
    /// File of the summary, to which each step appends.
    pub summary: Option<PathBuf>,
}

impl Job {
    /// Returns the job in which this process runs, if it is one of GitHub Actions.
    pub fn of_environment() -> Option<Self> {
        let is_one = std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true");
        let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
        is_one.then(|| Job {
            summary: summary.map(PathBuf::from),
        })
    }

    /// Tells the job of a run that has ended.
    pub fn tell(&self, run: &RecordedRun, here: &Path) {
        for line in commands(run) {
            output::note(line);
        }
        if let Some(file) = &self.summary {
            let text = markdown::text(run, here);
            let opened = OpenOptions::new().create(true).append(true).open(file);
            if let Err(error) = opened.and_then(|mut file| writeln!(file, "{text}")) {
                output::warning(&format!(
                    "failed to write the summary of the job into {}: {error}",
                    file.display()
                ));
            }
        }
    }
}

/// Returns the commands about a run.
fn commands(run: &RecordedRun) -> Vec<String> {
    let mut commands = Vec::new();
    for report in &run.reports {
        let findings = report.findings.iter();
        commands.extend(findings.map(|detail| finding(run, report, detail)));
        if let Verdict::Inconclusive { .. } | Verdict::Vacuous { .. } = &report.verdict {
            let at = report.harness.place();
            let file = match Repository::of(&run.facts, report).file(&at) {
                SourceFile::Own(path) if at.line > 0 => Some(path),
                _ => None,
            };
            let mut properties = Vec::new();
            if let Some(file) = file {
                properties.push(("file", file.display().to_string()));
                properties.push(("line", at.line.to_string()));
            }
            properties.push(("title", format!("cargo symex: {}", report.harness.name)));
            commands.push(command("warning", &properties, &describe_judged(report)));
        }
        if let Some(unmatched) = ignored::unmatched(report) {
            let message = format!("{}\n{}", unmatched.title, unmatched.entries.join("\n"));
            let file = Repository::relative(&run.facts, &report.ignored.file);
            let file = file.map(|file| ("file", file.display().to_string()));
            let title = ("title", "cargo symex: ignored findings".to_owned());
            let properties: Vec<_> = file.into_iter().chain([title]).collect();
            commands.push(command("warning", &properties, &message));
        }
    }
    commands
}

fn finding(run: &RecordedRun, report: &HarnessReport, detail: &FindingReport) -> String {
    let finding = &detail.finding;
    let mut properties = Vec::new();
    if let Some((at, path)) = Repository::of(&run.facts, report).place(report, finding) {
        properties.push(("file", path.display().to_string()));
        properties.push(("line", at.line.to_string()));
        if at.column > 0 {
            properties.push(("col", at.column.to_string()));
        }
    }
    let title = format!(
        "cargo symex: {} in {}",
        kind_name(finding.kind),
        report.harness.name
    );
    properties.push(("title", title));
    let mut message = human::message(finding, &detail.replay);
    if let Some(inputs) = human::inputs(detail) {
        message.push_str(&format!("\n{inputs}"));
    }
    let level = if stands(detail) { "error" } else { "warning" };
    command(level, &properties, &message)
}

/// Returns a command of a workflow.
fn command(name: &str, properties: &[(&str, String)], message: &str) -> String {
    let properties: Vec<String> = properties
        .iter()
        .map(|(name, value)| format!("{name}={}", property(value)))
        .collect();
    format!("::{name} {}::{}", properties.join(","), data(message))
}

/// Escapes the message of a command, as the toolkit of Actions does.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes the value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::example_run;

    #[test]
    fn findings_are_errors_and_what_was_not_judged_a_warning() {
        let commands = commands(&example_run());
        assert_eq!(
            commands,
            [
                "::warning file=parts/src/lib.rs,line=10,title=cargo symex%3A tests%3A%3Acalls::\
                 inconclusive (no model of `fork`, timeout)",
                "::error file=parts/src/lib.rs,line=2,col=5,title=cargo symex%3A panic in tests%3A%3Aparses::\
                 index out of bounds: the len is 2 but the index is 9%0Aindex: u32 = 9",
                "::error file=parts/src/my file.rs,line=7,title=cargo symex%3A use-after-free in tests%3A%3Aparses::\
                 read of 1 byte, 50%25 of it: freed%0Aindex = 9 (0x00000009)",
                "::warning file=parts/src/lib.rs,line=10,title=cargo symex%3A tests%3A%3Atests_nothing::\
                 vacuous (a cover point is never met)",
            ]
        );
    }

    #[test]
    fn what_ends_a_part_of_a_command_is_escaped() {
        let properties = [("title", "a,b:c%\r\n".to_owned())];
        assert_eq!(
            command("error", &properties, "d,e:f%\r\n"),
            "::error title=a%2Cb%3Ac%25%0D%0A::d,e:f%25%0D%0A"
        );
    }
}
