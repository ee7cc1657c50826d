//! Tests that `docs/options.md` equals the output of `--help`. `SNAPSHOTS=overwrite` rewrites it.

use crate::support::workspace;
use cargo_symex::cli::args::CommandLine;
use clap::{Command, CommandFactory};
use clap_markdown::MarkdownOptions;

const HEAD: &str = "<!-- Made from the command line's own help: SNAPSHOTS=overwrite cargo test --test main options_are_documented -->\n\n";

#[test]
fn options_are_documented() {
    let options = MarkdownOptions::new()
        .title("Commands and options of cargo symex".to_owned())
        .show_table_of_contents(false)
        .show_footer(false);
    let command = with_tables(CommandLine::command());
    let made = clap_markdown::help_markdown_command_custom(&command, &options);
    let made = format!("{HEAD}{}\n", made.trim_end());
    let file = workspace().join("docs/options.md");
    snapbox::assert_data_eq!(made, snapbox::Data::read_from(&file, None).raw());
}

/// Returns a command whose tables, at the end of its help, keep their columns in Markdown.
fn with_tables(command: Command) -> Command {
    let text = command.get_after_help().map(ToString::to_string);
    let command = match text {
        Some(text) if text.contains('\n') => {
            command.after_help(format!("```text\n{}\n```", text.trim_end()))
        }
        _ => command,
    };
    command.mut_subcommands(with_tables)
}
