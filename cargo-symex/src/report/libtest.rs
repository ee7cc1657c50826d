//! The report in libtest's form, printed by libtest-mimic, for people and programs that know that
//! form: scripts, nextest.
//!
//! libtest-mimic runs its trials itself. The harnesses are explored elsewhere, several at a time;
//! each trial only waits for the next report, one after the other, so that the order is always the
//! same.

use super::human::Calls;
use super::verdict::describe_report;
use super::{ReportForm, human, ignored, output, stats};
use crate::harness::TestHarness;
use crate::pipeline::HarnessReport;
use crate::pipeline::event::{Reporter, RunEvent, Summary};
use crate::pipeline::exit_code::ExitCode;
use crate::source::place::Places;
use libtest_mimic::{Arguments, ColorSetting, Conclusion, Failed, FormatSetting, Trial};
use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

/// Reports of harnesses in order; `None` for a harness that was not run.
type Reports = Arc<Mutex<Receiver<Option<HarnessReport>>>>;

/// Prints a run as libtest does.
pub struct Libtest {
    form: ReportForm,
    format: FormatSetting,
    trials: Option<Trials>,
}

/// Trials that run on a thread of their own.
struct Trials {
    reports: Sender<Option<HarnessReport>>,
    thread: JoinHandle<std::io::Result<Conclusion>>,
}

impl Libtest {
    /// Creates a report of this form, in one of libtest's formats.
    pub fn new(form: ReportForm, format: FormatSetting) -> Self {
        Libtest {
            form,
            format,
            trials: None,
        }
    }

    fn start(&mut self, harnesses: &[TestHarness], ignored: &[TestHarness]) {
        let (sender, receiver) = channel();
        let receiver = Arc::new(Mutex::new(receiver));
        let styled = self.format != FormatSetting::Json;
        let mut trials = Vec::new();
        for harness in harnesses {
            trials.push(self.trial(harness, styled, receiver.clone()));
        }
        trials.extend(ignored.iter().map(|harness| {
            Trial::test(harness.name.clone(), || Ok(())).with_ignored_flag(harness.ignored)
        }));
        trials.sort_by(|a, b| a.name().cmp(b.name()));
        let arguments = Arguments {
            include_ignored: self.form.include_ignored,
            ignored: self.form.ignored,
            format: Some(self.format),
            ..Arguments::default()
        };
        let styled = output::is_styled();
        let work = move || run(arguments, trials, styled, output::bytes);
        self.trials = Some(Trials {
            reports: sender,
            thread: std::thread::spawn(work),
        });
    }

    /// Creates a trial that passes or fails according to the next report.
    fn trial(&self, harness: &TestHarness, styled: bool, reports: Reports) -> Trial {
        let (here, calls) = (self.form.here.clone(), self.form.calls);
        let require_complete = self.form.facts.require_complete;
        let judge = move || {
            let next = reports
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .recv();
            match next.ok().flatten() {
                None => Err(Failed::from("interrupted before it was started")),
                Some(report)
                    if ExitCode::of(&report.verdict, require_complete) == ExitCode::Pass =>
                {
                    Ok(())
                }
                Some(report) => Err(Failed::from(failure(&report, here, calls, styled))),
            }
        };
        Trial::test(harness.name.clone(), judge).with_ignored_flag(harness.ignored)
    }

    fn send(&self, report: Option<HarnessReport>) {
        if let Some(Trials { reports, .. }) = &self.trials {
            // Without a receiver the trials have ended already; `end` reports the failure.
            let _ = reports.send(report);
        }
    }

    fn end(&mut self, summary: Summary<'_>) {
        if let Some(Trials { reports, thread }) = self.trials.take() {
            drop(reports);
            // libtest's exit code is ignored, because the command has more precise ones.
            match thread.join() {
                Ok(Ok(_)) => {}
                Ok(Err(error)) => {
                    output::warning(&format!("failed to report in libtest's form: {error}"));
                }
                Err(payload) => std::panic::resume_unwind(payload),
            }
        }
        // libtest knows only pass and fail, so the verdicts are printed beside its report.
        for report in summary.reports {
            let verdict = describe_report(report);
            output::note(format_args!("{}: {verdict}", report.harness.name));
            if let Some(unmatched) = ignored::unmatched(report) {
                output::warning(&unmatched.title);
            }
        }
        if let Some(level) = self.form.stats {
            output::note(stats::table(summary.reports, level).trim_end_matches('\n'));
        }
    }
}

impl Reporter for Libtest {
    fn event(&mut self, event: RunEvent<'_>) {
        match event {
            RunEvent::RunStarted { harnesses, ignored } => self.start(harnesses, ignored),
            RunEvent::HarnessFinished(report) => self.send(Some(report.clone())),
            RunEvent::HarnessNotRun(_) => self.send(None),
            RunEvent::RunFinished(summary) => self.end(summary),
        }
    }
}

/// Returns the text of a trial that fails.
fn failure(report: &HarnessReport, here: PathBuf, calls: Calls, styled: bool) -> String {
    let places = Places {
        here,
        package: report.harness.manifest_dir.clone(),
    };
    let mut text = format!("verdict: {}\n", describe_report(report));
    for detail in human::details(report, &places, calls) {
        text.push_str(&format!("\n{detail}\n"));
    }
    if styled {
        text
    } else {
        anstream::adapter::strip_str(&text).to_string()
    }
}

/// Runs trials in order and sends the report to `write`, even if libtest-mimic panics because it
/// cannot write.
fn run(
    arguments: Arguments,
    trials: Vec<Trial>,
    styled: bool,
    write: impl Fn(&[u8]) + Send,
) -> std::io::Result<Conclusion> {
    let (mut reader, writer) = std::io::pipe()?;
    let color = if styled {
        ColorSetting::Always
    } else {
        ColorSetting::Never
    };
    let arguments = Arguments {
        test_threads: Some(1),
        logfile: Some(format!("/proc/self/fd/{}", writer.as_raw_fd())),
        color: Some(color),
        ..arguments
    };
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut buffer = [0; 8192];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                write(&buffer[..count]);
            }
        });
        let conclusion = libtest_mimic::run(&arguments, trials);
        drop(writer);
        Ok(conclusion)
    })
}
