//! The command line. What was typed becomes settings, settings become runs, results become an exit code.

mod advice;
pub mod args;
mod discover;
pub mod error;
pub mod exit_code;
mod explore;
mod files;
mod interrupt;
mod list;
pub mod meta;
mod names;
mod output;
mod paths;
mod program;
mod project;
mod remembered;
mod replay;
mod replay_queries;
mod reproduce;
pub mod resolve;
mod run;
mod schedule;
mod select;
mod setup;
pub mod units;
pub mod world_args;

use args::{Command, CommandLine, MessageFormat};
use clap::Parser;
use error::CliError;
use exit_code::ExitCode;
use std::path::{Path, PathBuf};

/// Runs the program with the arguments of this process.
pub fn main() -> std::process::ExitCode {
    if let Some(exit) = crate::build::stand_in::dispatch(std::env::args_os()) {
        return exit;
    }
    // Ends the process itself for --help, --version and wrong arguments (code 2).
    let line = CommandLine::parse_from(args::without_cargo_prefix(std::env::args_os()));
    let json = wants_json(&line);
    let code = dispatch(&line).unwrap_or_else(|error| {
        if json {
            let help = error.help.as_deref();
            output::json(&crate::report::json::error(
                &error.message,
                help,
                error.code.code(),
            ));
        }
        error.print();
        error.code
    });
    output::end(code).into()
}

fn dispatch(line: &CommandLine) -> Result<ExitCode, CliError> {
    match &line.command {
        None => run::run(&line.run),
        Some(Command::List(args)) => list::list(args),
        Some(Command::Replay(args)) => replay::replay(args),
        Some(Command::C(args)) => files::c(args),
        Some(Command::Bitcode(args)) => files::bitcode(args),
        Some(Command::ReplayQueries(args)) => replay_queries::replay(args),
        Some(Command::Setup(args)) => setup::setup(args),
        Some(Command::Dump(args)) => files::dump(args),
    }
}

/// The executable of this process, which also plays other parts. Where the system has a name for the file itself, that is
/// what is returned: by its path there may be another version already, or nothing.
fn executable() -> Result<PathBuf, CliError> {
    let itself = Path::new("/proc/self/exe");
    if itself.exists() {
        return Ok(itself.to_owned());
    }
    std::env::current_exe().map_err(|error| {
        CliError::usage(format!(
            "failed to find the executable of cargo-symex: {error}"
        ))
    })
}

fn wants_json(line: &CommandLine) -> bool {
    let format = match &line.command {
        None => line.run.report.message_format,
        Some(Command::List(args)) => args.message_format,
        Some(Command::Replay(args)) => args.message_format,
        Some(Command::C(args)) => args.program.report.message_format,
        Some(Command::Bitcode(args)) => args.program.report.message_format,
        Some(Command::ReplayQueries(_) | Command::Setup(_) | Command::Dump(_)) => {
            MessageFormat::Human
        }
    };
    format == MessageFormat::Json
}
