//! The report for people: a line and details for each harness when it ends, then a table and the
//! number of each verdict.

use super::progress::Progress;
use super::verdict::{describe, mark};
use super::{ReportForm, human, output, stats, summary};
use crate::pipeline::HarnessReport;
use crate::pipeline::event::{Reporter, RunEvent, Summary};
use crate::source::place::Places;

/// Prints a run for people.
pub struct Terminal {
    form: ReportForm,
    /// The progress line, hidden while something is printed.
    progress: Progress,
}

impl Terminal {
    /// Creates a report of this form, beside a progress line.
    pub fn new(form: ReportForm, progress: Progress) -> Self {
        Terminal { form, progress }
    }

    /// Prints a harness: its verdict, then the details.
    fn harness(&self, report: &HarnessReport) {
        let style = summary::style(&report.verdict);
        let verdict = describe(&report.verdict);
        output::line(&format!(
            "{} ... {style}{verdict}{style:#}{}",
            report.harness.name,
            mark(report)
        ));
        let places = Places {
            here: self.form.here.clone(),
            package: report.harness.manifest_dir.clone(),
        };
        let details = human::details(report, &places);
        for detail in &details {
            output::line(&format!("\n{detail}"));
        }
        if !details.is_empty() {
            output::line("");
        }
    }

    fn end(&self, run: Summary<'_>) {
        if self.form.program {
            for report in run.reports {
                let stats = &report.stats;
                output::line(&format!("{} paths, {:.2}s", stats.paths, stats.seconds));
            }
        } else {
            if run.reports.len() > 1 {
                output::line(&format!("\n{}", summary::table(run.reports)));
            }
            output::line(&counts(run));
            if let Some(line) = summary::resumable(run.reports) {
                output::line(&line);
            }
        }
        if self.form.stats {
            output::line(&format!("\n{}", stats::table(run.reports)));
        }
    }
}

/// Returns the last line: the number of each verdict, and of harnesses left out.
fn counts(run: Summary<'_>) -> String {
    let mut line = summary::counts(run.reports);
    for (count, what) in [
        (summary::cached(run.reports), "cached"),
        (run.not_run, "not run"),
        (run.ignored, "ignored"),
        (run.filtered_out, "filtered out"),
    ] {
        if count > 0 {
            line.push_str(&format!("; {count} {what}"));
        }
    }
    // For several harnesses, the table shows the effort.
    if let [report] = run.reports {
        line.push_str(&format!("; {}", summary::effort(report)));
    }
    line
}

impl Reporter for Terminal {
    fn event(&mut self, event: RunEvent<'_>) {
        match event {
            RunEvent::RunStarted { harnesses, .. } if !self.form.program => {
                let count = harnesses.len();
                let s = if count == 1 { "" } else { "es" };
                let line = format!("running {count} harness{s}");
                self.progress.suspended(|| output::line(&line));
            }
            RunEvent::RunStarted { .. } | RunEvent::HarnessNotRun(_) => {}
            RunEvent::HarnessFinished(report) => self.progress.suspended(|| self.harness(report)),
            RunEvent::RunFinished(run) => self.end(run),
        }
    }
}
