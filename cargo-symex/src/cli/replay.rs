//! `cargo symex replay`: runs regression tests, or an inputs file, natively and shows the results,
//! or shows the path that the inputs take. Explores nothing.

use super::args::{MessageFormat, OwnReplayRights, ReplayArgs};
use super::no_harness::nothing;
use super::options::shown_options;
use super::replay_path;
use super::resolve;
use super::run::here;
use crate::build::Executables;
use crate::confirm::REPLAY_TIME;
use crate::confirm::confinement::{self, Rights};
use crate::confirm::launch::{End, Launcher, NativeRun};
use crate::confirm::native::Native;
use crate::confirm::replay::{How, how_it_failed, run_inputs};
use crate::confirm::run_directory::RunDirectory;
use crate::confirm::sanitizer::SanitizerReport;
use crate::pipeline::discover::{Discovered, FoundHarness, TestKind, discover};
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::roles;
use crate::pipeline::select::select;
use crate::report::Verbosity;
use crate::report::output;
use crate::report::progress::Progress;
use crate::source::place::Places;
use serde_json::json;
use std::path::Path;
use symex_abi::{EXIT_ASSUMPTION, EXIT_BAD_INPUTS, EXIT_NO_DEFINITION};

/// Result of one native run.
enum RunResult {
    /// The run passed; the text says what was not checked, if anything.
    Passed(Option<String>),
    Failed(How),
    /// An assumption of the harness did not hold.
    Rejected,
    /// The run allows no conclusion, for this reason.
    Unknown(String),
}

/// Runs `cargo symex replay`.
pub fn replay(args: &ReplayArgs) -> Result<ExitCode, CommandError> {
    output::set_color(resolve::color_choice(args.color));
    let mut options = shown_options(&args.cargo, args.color, Verbosity::Quiet)?;
    if args.kani {
        options.executables = Executables::KaniProofs;
    }
    let progress = Progress::new(false, Verbosity::Normal);
    let Discovered { found, seen } = discover(&options, TestKind::Harness, &progress)?;
    let selection = select(found, &args.select.filters_of_all());
    if selection.run.is_empty() {
        let kind = TestKind::Harness;
        return Err(nothing(&selection, kind, &args.select, &args.cargo, seen));
    }
    if let Some(file) = args.inputs.as_ref().filter(|_| args.path) {
        let found = single(&selection.run)?;
        return replay_path::path(found, file, args.message_format, &progress);
    }
    let launcher = launcher(args.replay)?;
    match &args.inputs {
        Some(file) => one(
            &launcher,
            single(&selection.run)?,
            file,
            args.message_format,
        ),
        None => regressions(&launcher, &selection.run, args.message_format),
    }
}

/// Returns the launcher of native runs, and warns if the kernel does not confine them.
fn launcher(rights: OwnReplayRights) -> Result<Launcher, CommandError> {
    let rights = match rights {
        OwnReplayRights::Confined => Rights::Confined,
        OwnReplayRights::Free => Rights::Free,
    };
    let launcher = roles::launcher(rights)?;
    if launcher.confines()
        && let Some(text) = confinement::not_granted()
    {
        output::warning(&text);
        output::help(confinement::ADVICE);
    }
    Ok(launcher)
}

fn native(found: &FoundHarness) -> Result<Native, CommandError> {
    let failed =
        |reason| CommandError::usage(format!("failed to link the native executable: {reason}"));
    found.target.native().map_err(failed)
}

/// Returns the harness to which an inputs file belongs.
fn single(found: &[FoundHarness]) -> Result<&FoundHarness, CommandError> {
    if let [found] = found {
        return Ok(found);
    }
    let names: Vec<&str> = found
        .iter()
        .map(|found| found.harness.name.as_str())
        .collect();
    let message = format!(
        "failed to choose a harness for --inputs: {} match",
        names.len()
    );
    let help = format!("name one with --exact: {}", names.join(", "));
    Err(CommandError::usage(message).help(help))
}

/// Runs an inputs file.
fn one(
    launcher: &Launcher,
    found: &FoundHarness,
    file: &Path,
    format: MessageFormat,
) -> Result<ExitCode, CommandError> {
    let file = std::fs::canonicalize(file).map_err(|error| {
        CommandError::usage(format!("failed to read {}: {error}", file.display()))
    })?;
    let native = native(found)?;
    let start = |native: &Native| {
        let harness = &found.harness;
        run_inputs(launcher, native, harness, &file, None, REPLAY_TIME)
            .map_err(|error| CommandError::usage(format!("failed to run the native test: {error}")))
    };
    let (run, typed) = start(&native)?;
    if format == MessageFormat::Human {
        for input in typed.iter().flat_map(|typed| &typed.args) {
            output::line(&format!(
                "{}: {} = {}",
                input.name, input.type_name, input.source
            ));
        }
    }
    let (run, result) = judged(found, run, |native| Ok(start(native)?.0))?;
    show(found, &found.harness.name, &run, &result, format);
    Ok(code(&result))
}

/// Runs the regression tests of each harness.
fn regressions(
    launcher: &Launcher,
    found: &[FoundHarness],
    format: MessageFormat,
) -> Result<ExitCode, CommandError> {
    let mut exit = None;
    for found in found {
        let native = native(found)?;
        let failed =
            |error| CommandError::usage(format!("failed to run the native tests: {error}"));
        let prefix = format!("{}::", found.harness.replay_test());
        let tests = native.list(launcher, REPLAY_TIME).map_err(failed)?;
        for test in tests.iter().filter(|test| test.starts_with(&prefix)) {
            let start = |native: &Native| {
                let directory = RunDirectory::new().map_err(failed)?;
                let run = native.run_test(launcher, test, &[], &directory, REPLAY_TIME);
                run.map_err(failed)
            };
            let (run, result) = judged(found, start(&native)?, start)?;
            show(found, test, &run, &result, format);
            exit = Some(exit.unwrap_or(ExitCode::Pass).and(code(&result)));
        }
    }
    exit.ok_or_else(|| {
        CommandError::usage("no regression test is recorded for these harnesses")
            .code(ExitCode::NoHarness)
            .help("`cargo symex` writes one for each finding that is confirmed natively")
    })
}

/// Judges a run. If it passed and the program contains C, it is repeated with AddressSanitizer.
fn judged(
    found: &FoundHarness,
    run: NativeRun,
    start: impl FnOnce(&Native) -> Result<NativeRun, CommandError>,
) -> Result<(NativeRun, RunResult), CommandError> {
    let result = judge(&run);
    if !matches!(result, RunResult::Passed(_)) {
        return Ok((run, result));
    }
    let again = match found.target.sanitized(false) {
        Ok(None) => return Ok((run, result)),
        Ok(Some(native)) => start(&native)?,
        Err(reason) => return Ok((run, RunResult::Passed(Some(reason)))),
    };
    Ok(match SanitizerReport::of(&again) {
        Some(report) => {
            let report = report.title;
            (again, RunResult::Failed(How::Sanitizer { report }))
        }
        None => (run, result),
    })
}

fn judge(run: &NativeRun) -> RunResult {
    match run.end {
        End::TooLong => RunResult::Failed(How::NoEnd {
            seconds: REPLAY_TIME.as_secs(),
        }),
        End::TooMuchMemory => RunResult::Unknown("it used too much memory".to_owned()),
        End::Code(EXIT_ASSUMPTION) => RunResult::Rejected,
        End::Code(EXIT_BAD_INPUTS | EXIT_NO_DEFINITION) => {
            RunResult::Unknown(run.stderr.lines().last().unwrap_or_default().to_owned())
        }
        End::Code(0) if run.stdout.contains("test result: ok. 0 passed") => {
            RunResult::Unknown("the native executable has no such test".to_owned())
        }
        _ => how_it_failed(run, None).map_or(RunResult::Passed(None), RunResult::Failed),
    }
}

fn code(result: &RunResult) -> ExitCode {
    match result {
        RunResult::Passed(_) => ExitCode::Pass,
        RunResult::Failed(_) => ExitCode::Bug,
        RunResult::Rejected => ExitCode::Vacuous,
        RunResult::Unknown(_) => ExitCode::Usage,
    }
}

fn show(
    found: &FoundHarness,
    test: &str,
    run: &NativeRun,
    result: &RunResult,
    format: MessageFormat,
) {
    let places = Places {
        here: here(),
        package: found.harness.manifest_dir.clone(),
    };
    let (word, text) = match result {
        RunResult::Passed(None) => ("passed", "passed".to_owned()),
        RunResult::Passed(Some(reason)) => (
            "passed",
            format!("passed, without AddressSanitizer: {reason}"),
        ),
        RunResult::Rejected => (
            "rejected",
            "an assumption of the harness does not hold".to_owned(),
        ),
        RunResult::Unknown(why) => ("unknown", format!("not replayed: {why}")),
        RunResult::Failed(how) => ("failed", format!("failed: {}", how.text(&places))),
    };
    if format == MessageFormat::Json {
        output::json(&json!({
            "type": "replay",
            "harness": found.harness.name,
            "test": test,
            "result": word,
            "text": text,
            "how": if let RunResult::Failed(how) = result { Some(how) } else { None },
            "stderr": run.stderr,
        }));
        return;
    }
    output::line(&format!("{test} ... {text}"));
    // Without a place, the message has been printed above in place of it.
    if let RunResult::Failed(How::Panic {
        message,
        at: Some(_),
    }) = result
    {
        for line in message.lines() {
            output::line(&format!("    {line}"));
        }
    }
}
