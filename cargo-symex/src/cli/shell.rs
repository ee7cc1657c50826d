//! `cargo symex completions` and `cargo symex man`: what shells and `man` are given, made of the
//! declaration of the command line.

use super::args::{CommandLine, CompletionsArgs, ManArgs};
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::report::output;
use clap::CommandFactory;

/// Name of the executable, as cargo looks for it.
const NAME: &str = "cargo-symex";

/// Runs `cargo symex completions`.
pub fn completions(args: &CompletionsArgs) -> Result<ExitCode, CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut CommandLine::command(), NAME, &mut text);
    output::bytes(&text);
    Ok(ExitCode::Pass)
}

/// Runs `cargo symex man`: prints the page of the command, or writes those of all its commands.
pub fn man(args: &ManArgs) -> Result<ExitCode, CommandError> {
    match &args.output {
        None => {
            let mut text = Vec::new();
            // As `generate_to` has it, so that the page is the same.
            let mut command = CommandLine::command().disable_help_subcommand(true);
            command.build();
            clap_mangen::Man::new(command)
                .render(&mut text)
                .map_err(|error| CommandError::usage(error.to_string()))?;
            output::bytes(&text);
        }
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .and_then(|()| clap_mangen::generate_to(CommandLine::command(), folder))
                .map_err(|error| CommandError::unwritable(folder, error))?;
        }
    }
    Ok(ExitCode::Pass)
}
