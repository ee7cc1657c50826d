//! The report for people: a line and details for each harness when it ends, then a table and the
//! number of each verdict.

use super::human::Calls;
use super::progress::Progress;
use super::recorded::RunFacts;
use super::verdict::{describe_judged, ignored_text, mark};
use super::{ReportForm, Verbosity, coverage, human, output, profile, stats, summary};
use crate::pipeline::HarnessReport;
use crate::pipeline::event::{Reporter, RunEvent, Summary};
use crate::pipeline::exit_code::ExitCode;
use crate::source::place::Places;
use std::path::PathBuf;

/// Writes a run for people.
pub struct Terminal<F> {
    /// Whether one program was explored.
    program: bool,
    stats: Option<stats::Level>,
    calls: Calls,
    /// Whether a bounded pass counts as a failure.
    require_complete: bool,
    verbosity: Verbosity,
    /// The current directory.
    here: PathBuf,
    line: F,
}

/// Returns the report that is printed in this form, beside a progress line, which is hidden
/// meanwhile.
pub fn printed(form: ReportForm, progress: Progress) -> Terminal<impl FnMut(&str)> {
    Terminal {
        program: form.facts.program,
        stats: form.stats,
        calls: form.calls,
        require_complete: form.facts.require_complete,
        verbosity: form.verbosity,
        here: form.here,
        line: move |line: &str| progress.suspended(|| output::line(line)),
    }
}

impl<F: FnMut(&str)> Terminal<F> {
    /// Creates the report on a recorded run, whose texts, of one or several lines, go to `line`.
    pub fn new(
        run: &RunFacts,
        (stats, calls): (Option<stats::Level>, Calls),
        here: PathBuf,
        line: F,
    ) -> Self {
        Terminal {
            program: run.program,
            stats,
            calls,
            require_complete: run.require_complete,
            verbosity: Verbosity::Normal,
            here,
            line,
        }
    }

    /// Reports whether nothing about a harness has to be looked at.
    fn is_left_out(&self, report: &HarnessReport) -> bool {
        self.verbosity == Verbosity::Quiet
            && ExitCode::of(&report.verdict, self.require_complete) == ExitCode::Pass
            && report.findings.is_empty()
    }

    /// Writes a harness: its verdict, then the details.
    fn harness(&mut self, report: &HarnessReport) {
        if self.is_left_out(report) {
            return;
        }
        let style = summary::style(&report.verdict);
        let verdict = describe_judged(report);
        (self.line)(&format!(
            "{} ... {style}{verdict}{style:#}{}",
            report.harness.name,
            mark(report)
        ));
        if let Some(text) = coverage::of_harness(report) {
            (self.line)(&format!("    coverage: {text}"));
        }
        let places = Places {
            here: self.here.clone(),
            package: report.harness.manifest_dir.clone(),
        };
        let details = human::details(report, &places, self.calls);
        for detail in &details {
            (self.line)(&format!("\n{detail}"));
        }
        let profile = profile::of_harness(report, &places);
        if let Some(text) = &profile {
            (self.line)(&format!("\n{text}"));
        }
        if !details.is_empty() || profile.is_some() {
            (self.line)("");
        }
    }

    fn end(&mut self, run: Summary<'_>) {
        if self.program {
            for report in run.reports {
                let stats = &report.stats;
                (self.line)(&format!("{} paths, {:.2}s", stats.paths, stats.seconds));
            }
        } else {
            let is_quiet = self.verbosity == Verbosity::Quiet;
            if run.reports.len() > 1 && !is_quiet {
                (self.line)(&format!("\n{}", summary::table(run.reports)));
            }
            (self.line)(&counts(run));
            // With what is asked for by options of its own.
            if (run.reports.len() > 1 || is_quiet)
                && let Some(text) = coverage::of_all(run.reports)
            {
                (self.line)(&format!("coverage: {text}"));
            }
            if let Some(line) = summary::resumable(run.reports).filter(|_| !is_quiet) {
                (self.line)(&line);
            }
        }
        if let Some(level) = self.stats {
            (self.line)(&format!("\n{}", stats::table(run.reports, level)));
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
    let ignored = summary::ignored(run.reports);
    if ignored > 0 {
        line.push_str(&format!("; {}", ignored_text(ignored)));
    }
    // For several harnesses, the table shows the effort.
    if let [report] = run.reports {
        line.push_str(&format!("; {}", summary::effort(report)));
    }
    line
}

impl<F: FnMut(&str)> Reporter for Terminal<F> {
    fn event(&mut self, event: RunEvent<'_>) {
        match event {
            RunEvent::RunStarted { harnesses, .. }
                if !self.program && self.verbosity != Verbosity::Quiet =>
            {
                let count = harnesses.len();
                let s = if count == 1 { "" } else { "es" };
                (self.line)(&format!("running {count} harness{s}"));
            }
            RunEvent::RunStarted { .. } | RunEvent::HarnessNotRun(_) => {}
            RunEvent::HarnessFinished(report) => self.harness(report),
            RunEvent::RunFinished(run) => self.end(run),
        }
    }
}
