//! The command line: turns arguments into settings and runs a command of the pipeline.

pub mod args;
mod auto;
mod auto_args;
mod cluster;
mod cluster_args;
mod engine_args;
mod files;
mod fuzz;
mod generalize;
mod generalize_args;
mod judged_run;
mod kind_args;
mod list;
mod merge;
mod no_harness;
mod options;
mod origins;
mod outputs;
mod packages;
mod project;
mod recorded_args;
mod replay;
mod replay_path;
mod replay_queries;
mod report;
mod report_args;
pub mod resolve;
mod review;
mod run;
mod setup;
mod shell;
pub mod units;
mod watch;
pub mod world_args;

use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::report::output;
use args::{Command, CommandLine, MessageFormat, ReportArgs, RunFormat};
use clap::Parser;
use std::io::Write;
use symex_solver::leftovers;

/// Runs the program with the arguments of this process.
pub fn main() -> std::process::ExitCode {
    if let Some(exit) = crate::build::stand_in::dispatch(std::env::args_os()) {
        return exit;
    }
    if let Some(exit) = crate::confirm::supervisor::dispatch(std::env::args_os()) {
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
        output::failure(&error);
        error.code
    });
    let code = output::end(code);
    if leftovers::remain() {
        // What threads still free goes with the process, at once. The destructors of a library that
        // they use must not run meanwhile.
        exit_now(code);
    }
    code.into()
}

/// Ends the process without destructors, after standard output was flushed.
fn exit_now(code: ExitCode) -> ! {
    let _ = std::io::stdout().flush();
    // SAFETY: it does not return, and touches no memory.
    unsafe { libc::_exit(code.code().into()) }
}

fn dispatch(line: &CommandLine) -> Result<ExitCode, CommandError> {
    match &line.command {
        None => run::harnesses(&line.run),
        Some(Command::List(args)) => list::list(args),
        Some(Command::Replay(args)) => replay::replay(args),
        Some(Command::Fuzz(args)) => fuzz::fuzz(args),
        Some(Command::Auto(args)) => auto::auto(args),
        Some(Command::Generalize(args)) => generalize::generalize(args),
        Some(Command::Kani(args)) => run::kani(args),
        Some(Command::Profile(args)) => run::profile(args),
        Some(Command::Watch(args)) => watch::watch(args),
        Some(Command::C(args)) => files::c(args),
        Some(Command::Bitcode(args)) => files::bitcode(args),
        Some(Command::Report(args)) => report::report(args),
        Some(Command::Review(args)) => review::review(args),
        Some(Command::MergeReports(args)) => merge::merge_reports(args),
        Some(Command::Worker(args)) => cluster::worker(args),
        Some(Command::Cluster(args)) => cluster::cluster(args),
        Some(Command::ReplayQueries(args)) => replay_queries::replay(args),
        Some(Command::Setup(args)) => setup::setup(args),
        Some(Command::Completions(args)) => shell::completions(args),
        Some(Command::Man(args)) => shell::man(args),
        Some(Command::Dump(args)) => files::dump(args),
    }
}

fn wants_json(line: &CommandLine) -> bool {
    let of_run = |report: &ReportArgs| report.message_format == RunFormat::Json;
    let of_other = |format: MessageFormat| format == MessageFormat::Json;
    match &line.command {
        None => of_run(&line.run.report),
        Some(Command::List(args)) => of_other(args.message_format),
        Some(Command::Replay(args)) => of_other(args.message_format),
        Some(Command::Fuzz(args)) => of_run(&args.report),
        Some(Command::Auto(args)) => of_run(&args.report),
        Some(Command::Generalize(args)) => of_run(&args.report),
        Some(Command::Kani(args) | Command::Profile(args) | Command::Watch(args)) => {
            of_run(&args.report)
        }
        Some(Command::C(args)) => of_run(&args.program.report),
        Some(Command::Bitcode(args)) => of_run(&args.program.report),
        Some(Command::Review(args)) => of_other(args.format),
        Some(Command::MergeReports(args)) => of_other(args.message_format),
        Some(
            Command::Report(_)
            | Command::Worker(_)
            | Command::Cluster(_)
            | Command::ReplayQueries(_)
            | Command::Setup(_)
            | Command::Completions(_)
            | Command::Man(_)
            | Command::Dump(_),
        ) => false,
    }
}
