//! The report in libtest's form, by libtest-mimic, for whoever knows that form: people's habits, scripts, nextest.
//!
//! The harnesses have been started elsewhere, several at a time; the trials here only wait for their results, one after
//! the other, so that the order is the same each time.

use super::HarnessReport;
use super::harness::Harness;
use super::human;
use super::place::Places;
use super::verdict::describe_report;
use libtest_mimic::{Arguments, ColorSetting, Conclusion, Failed, Trial};
use std::io::Read as _;
use std::os::fd::AsRawFd as _;
use symex_types::outcome::Verdict;

/// A trial that passes or fails as the report says that `wait` gives.
pub fn trial(
    harness: &Harness,
    here: std::path::PathBuf,
    styled: bool,
    fails: impl Fn(&Verdict) -> bool + Send + 'static,
    wait: impl FnOnce() -> Option<HarnessReport> + Send + 'static,
) -> Trial {
    Trial::test(harness.name.clone(), move || {
        let Some(report) = wait() else {
            return Err(Failed::from("interrupted before it was started"));
        };
        if !fails(&report.outcome.verdict) {
            return Ok(());
        }
        let places = Places {
            here,
            package: report.harness.manifest_dir.clone(),
        };
        let mut text = format!("verdict: {}\n", describe_report(&report));
        for detail in human::details(&report, &places) {
            text.push_str(&format!("\n{detail}\n"));
        }
        if styled {
            return Err(Failed::from(text));
        }
        Err(Failed::from(
            anstream::adapter::strip_str(&text).to_string(),
        ))
    })
    .with_ignored_flag(harness.ignored)
}

/// A trial that is only listed or filtered.
pub fn placeholder(harness: &Harness) -> Trial {
    Trial::test(harness.name.clone(), || Ok(())).with_ignored_flag(harness.ignored)
}

/// Runs trials in order and hands the report to `write`, whatever becomes of it there: libtest-mimic panics where it cannot
/// write.
pub fn run(
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
