//! `cargo symex replay`: runs regression tests, or an inputs file, natively and shows what happens. Explores nothing.

use super::args::{MessageFormat, ReplayArgs};
use super::discover::{Found, discover};
use super::error::CliError;
use super::exit_code::ExitCode;
use super::explore::REPLAY_TIME;
use super::output;
use super::run::here;
use super::select::{nothing, select};
use crate::report::human::how_text;
use crate::report::native::{End, Native, Run};
use crate::report::place::Places;
use crate::report::replay::{How, how_it_failed, run_inputs};
use serde_json::json;
use std::path::Path;

/// What one native run showed.
enum Result {
    Passed,
    Failed(How),
    /// An assumption of the harness did not hold.
    Rejected,
    /// It says nothing, for this reason.
    Unknown(String),
}

/// Replays.
pub fn replay(args: &ReplayArgs) -> std::result::Result<ExitCode, CliError> {
    output::set_color(args.color);
    let found = discover(&args.cargo, output::cargo_color(args.color), true)?;
    let mut chosen = args.select.clone();
    chosen.include_ignored = true;
    let selection = select(found, &chosen);
    if selection.run.is_empty() {
        return Err(nothing(&selection, &args.select));
    }
    match &args.inputs {
        Some(file) => one(&selection.run, file, args.message_format),
        None => regressions(&selection.run, args.message_format),
    }
}

fn native(found: &Found) -> std::result::Result<Native, CliError> {
    let failed =
        |reason| CliError::usage(format!("failed to link the native executable: {reason}"));
    found.target.native().map_err(failed)
}

/// Runs an inputs file.
fn one(
    found: &[Found],
    file: &Path,
    format: MessageFormat,
) -> std::result::Result<ExitCode, CliError> {
    let [found] = found else {
        let names: Vec<&str> = found
            .iter()
            .map(|found| found.harness.name.as_str())
            .collect();
        return Err(CliError::usage(format!(
            "failed to choose a harness for --inputs: {} match",
            names.len()
        ))
        .help(format!("name one with --exact: {}", names.join(", "))));
    };
    let file = std::fs::canonicalize(file)
        .map_err(|error| CliError::usage(format!("failed to read {}: {error}", file.display())))?;
    let scratch = tempfile::tempdir().map_err(|error| {
        CliError::usage(format!("failed to make a temporary directory: {error}"))
    })?;
    let native = native(found)?;
    let (run, typed) = run_inputs(
        &native,
        &found.harness,
        &file,
        scratch.path(),
        None,
        REPLAY_TIME,
    )
    .map_err(|error| CliError::usage(format!("failed to run the native test: {error}")))?;
    if format == MessageFormat::Human {
        for input in typed.iter().flat_map(|typed| &typed.args) {
            output::line(&format!(
                "{}: {} = {}",
                input.name, input.type_name, input.source
            ));
        }
    }
    let result = judge(&run);
    show(found, &found.harness.name, &run, &result, format);
    Ok(code(&result))
}

/// Runs the regression tests of each harness.
fn regressions(found: &[Found], format: MessageFormat) -> std::result::Result<ExitCode, CliError> {
    let mut exit = None;
    for found in found {
        let native = native(found)?;
        let failed = |error| CliError::usage(format!("failed to run the native tests: {error}"));
        let prefix = format!("{}::", found.harness.replay_test());
        let tests = native.list(REPLAY_TIME).map_err(failed)?;
        for test in tests.iter().filter(|test| test.starts_with(&prefix)) {
            let run = native.run_test(test, &[], REPLAY_TIME).map_err(failed)?;
            let result = judge(&run);
            show(found, test, &run, &result, format);
            exit = Some(exit.unwrap_or(ExitCode::Pass).and(code(&result)));
        }
    }
    exit.ok_or_else(|| {
        CliError::usage("no regression test is recorded for these harnesses")
            .code(ExitCode::NoHarness)
            .help("`cargo symex` writes one for each finding that is confirmed natively")
    })
}

fn judge(run: &Run) -> Result {
    match run.end {
        End::TooLong => Result::Failed(How::NoEnd {
            seconds: REPLAY_TIME.as_secs(),
        }),
        End::Code(86) => Result::Rejected,
        End::Code(87 | 88) => {
            Result::Unknown(run.stderr.lines().last().unwrap_or_default().to_owned())
        }
        End::Code(0) if run.stdout.contains("test result: ok. 0 passed") => {
            Result::Unknown("the native executable has no such test".to_owned())
        }
        _ => how_it_failed(run, None).map_or(Result::Passed, Result::Failed),
    }
}

fn code(result: &Result) -> ExitCode {
    match result {
        Result::Passed => ExitCode::Pass,
        Result::Failed(_) => ExitCode::Bug,
        Result::Rejected => ExitCode::Vacuous,
        Result::Unknown(_) => ExitCode::Usage,
    }
}

fn show(found: &Found, test: &str, run: &Run, result: &Result, format: MessageFormat) {
    let places = Places {
        here: here(),
        package: found.harness.manifest_dir.clone(),
    };
    let (word, text) = match result {
        Result::Passed => ("passed", "passed".to_owned()),
        Result::Rejected => (
            "rejected",
            "an assumption of the harness does not hold".to_owned(),
        ),
        Result::Unknown(why) => ("unknown", format!("not replayed: {why}")),
        Result::Failed(how) => ("failed", format!("failed: {}", how_text(how, &places))),
    };
    if format == MessageFormat::Json {
        output::json(&json!({
            "type": "replay",
            "harness": found.harness.name,
            "test": test,
            "result": word,
            "text": text,
            "how": if let Result::Failed(how) = result { Some(how) } else { None },
            "stderr": run.stderr,
        }));
        return;
    }
    output::line(&format!("{test} ... {text}"));
    // Without a place the message has been shown instead of it.
    if let Result::Failed(How::Panic {
        message,
        at: Some(_),
    }) = result
    {
        for line in message.lines() {
            output::line(&format!("    {line}"));
        }
    }
}
