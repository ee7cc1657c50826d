//! `cargo symex report`: writes the report of a recorded run.

use super::args::{BuildArgs, CargoArgs, RecordedArgs, RunName};
use super::outputs::Outputs;
use super::project::Project;
use super::recorded_args::{ReportFormat, WorkspaceArgs};
use super::report_args::{Stats, calls};
use super::run::here;
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::report::coverage;
use crate::report::forms::{self, Form};
use crate::report::json_reading;
use crate::report::page::{self, history::History};
use crate::report::profile;
use crate::report::recorded::RecordedRun;
use crate::report::runs::Runs;
use std::path::{Path, PathBuf};

/// Runs `cargo symex report`.
pub fn report(args: &RecordedArgs) -> Result<ExitCode, CommandError> {
    Outputs::default()
        .file("--output", args.output.as_ref())
        .folder("--html", args.html.as_ref())
        .forms(&args.coverage, &args.profiling)
        .check()?;
    let asked = asked(args)?;
    let run = read(&asked.file)?;
    let form = match args.format {
        ReportFormat::Human => Form::Human(args.stats.map(Stats::level), calls(args.call_stacks)),
        ReportFormat::Json => Form::Json,
        ReportFormat::Junit => Form::Junit,
        ReportFormat::Sarif => Form::Sarif,
        ReportFormat::Markdown => Form::Markdown,
    };
    let written = forms::write(&run, form, &here(), args.output.as_ref());
    written.map_err(CommandError::usage)?;
    if let Some(folder) = &args.html {
        let history = match &asked.recorded {
            Some((runs, number)) => History::read(runs, *number, &run),
            None => History::default(),
        };
        page::write(&run, &history, &here(), folder).map_err(CommandError::usage)?;
    }
    for form in &args.coverage {
        coverage::write(&run, form).map_err(CommandError::usage)?;
    }
    for form in &args.profiling {
        profile::write(&run, form).map_err(CommandError::usage)?;
    }
    Ok(ExitCode::Pass)
}

/// Reads a run from a file.
pub fn read(file: &Path) -> Result<RecordedRun, CommandError> {
    let failed = |reason: String| {
        let file = file.display();
        CommandError::usage(format!("failed to read the report {file}: {reason}"))
    };
    let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    json_reading::read(&text).map_err(failed)
}

/// The run that is asked for.
struct Asked {
    file: PathBuf,
    /// Its number among those that were recorded, if it is one of them.
    recorded: Option<(Runs, u64)>,
}

/// Returns the run that is asked for.
fn asked(args: &RecordedArgs) -> Result<Asked, CommandError> {
    if let RunName::File(file) = &args.run {
        return Ok(Asked {
            file: file.clone(),
            recorded: None,
        });
    }
    let number = match args.run {
        RunName::Number(number) => Some(number),
        _ => None,
    };
    let (runs, number) = recorded(&args.workspace, number)?;
    Ok(Asked {
        file: runs.file(number),
        recorded: Some((runs, number)),
    })
}

/// Returns the runs of a workspace, and the number of one of them: this one, or the last.
pub(super) fn recorded(
    workspace: &WorkspaceArgs,
    number: Option<u64>,
) -> Result<(Runs, u64), CommandError> {
    let cargo = CargoArgs {
        manifest_path: workspace.manifest_path.clone(),
        build: BuildArgs {
            target_dir: workspace.target_dir.clone(),
            ..BuildArgs::default()
        },
        ..CargoArgs::default()
    };
    let runs = Project::read(&cargo)?.runs();
    let numbers = runs.numbers();
    let numbers = numbers.map_err(|error| unreadable(&runs, &error))?;
    let found = match number {
        Some(number) => Some(number).filter(|number| numbers.contains(number)),
        None => numbers.last().copied(),
    };
    match found {
        Some(number) => Ok((runs, number)),
        None => Err(missing(&runs, &numbers)),
    }
}

pub(super) fn unreadable(runs: &Runs, error: &std::io::Error) -> CommandError {
    let directory = runs.directory().display();
    CommandError::usage(format!("failed to read {directory}: {error}"))
}

/// Returns the error that there is no such run, with those that there are.
fn missing(runs: &Runs, numbers: &[u64]) -> CommandError {
    let directory = runs.directory().display();
    let error = CommandError::usage(format!("no such run is recorded in {directory}"));
    let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
    if numbers.is_empty() {
        error.help(
            "`cargo symex` records one; for another workspace or target directory there are --manifest-path and --target-dir",
        )
    } else {
        error.help(format!("there are {}", numbers.join(", ")))
    }
}
