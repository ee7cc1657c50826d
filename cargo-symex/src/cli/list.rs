//! Lists harnesses.

use super::args::{ListArgs, MessageFormat, SelectArgs};
use super::discover::{Found, discover};
use super::error::CliError;
use super::exit_code::ExitCode;
use super::output;
use super::select::{nothing, select};
use crate::report::json;

/// `cargo symex list`: name, place and arguments, or with `--quiet` the name alone.
pub fn list(args: &ListArgs) -> Result<ExitCode, CliError> {
    output::set_color(args.color);
    let found = discover(&args.cargo, output::cargo_color(args.color), args.quiet)?;
    let mut chosen = all(&args.select);
    chosen.ignored = args.select.ignored;
    let selection = select(found, &chosen);
    if selection.run.is_empty() {
        return Err(nothing(&selection, &args.select, &args.cargo));
    }
    for Found { harness, .. } in &selection.run {
        match args.message_format {
            MessageFormat::Json => output::json(&json::listed(harness)),
            MessageFormat::Human if args.quiet => output::line(&harness.name),
            MessageFormat::Human => {
                let ignored = if harness.ignored { " (ignored)" } else { "" };
                output::line(&format!(
                    "{}({}){ignored}  {}:{}",
                    harness.name, harness.args, harness.file, harness.line
                ));
            }
        }
    }
    Ok(ExitCode::Pass)
}

/// `--list` as libtest does it: all names, or with `--ignored` only those.
pub fn as_libtest(found: Vec<Found>, args: &SelectArgs, terse: bool) {
    let mut chosen = all(args);
    chosen.ignored = args.ignored;
    let listed = select(found, &chosen).run;
    for found in &listed {
        output::line(&format!("{}: test", found.harness.name));
    }
    if !terse {
        let s = if listed.len() == 1 { "" } else { "s" };
        output::line(&format!("\n{} test{s}, 0 benchmarks", listed.len()));
    }
}

/// Listing leaves out nothing because of `#[ignore]`.
fn all(args: &SelectArgs) -> SelectArgs {
    SelectArgs {
        include_ignored: true,
        ..args.clone()
    }
}
