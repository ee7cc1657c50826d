//! `cargo symex list`, and libtest's `--list`.

use super::args::{ListArgs, MessageFormat, PartArgs};
use super::no_harness::nothing;
use super::options::shown_options;
use super::resolve::{self, RunSettings};
use crate::pipeline::discover::{Discovered, FoundHarness, discover};
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::select::select;
use crate::report::progress::Progress;
use crate::report::{Format, Verbosity, json, output};
use libtest_mimic::FormatSetting;

/// Runs `cargo symex list`: prints name, place and arguments of each harness, or with `--quiet` the
/// name alone.
pub fn list(args: &ListArgs) -> Result<ExitCode, CommandError> {
    output::set_color(resolve::color_choice(args.color));
    let verbosity = match args.quiet {
        true => Verbosity::Quiet,
        false => Verbosity::Normal,
    };
    let mut options = shown_options(&args.cargo, args.color, verbosity)?;
    options.executables = args.kind.executables();
    let kind = args.kind.of_tests();
    let Discovered { found, seen } =
        discover(&options, kind, &Progress::new(false, Verbosity::Normal))?;
    let selection = select(found, &args.select.filters_of_all());
    let selection = selection.of_part(args.part.partition);
    if selection.run.is_empty() && selection.in_other_parts == 0 {
        return Err(nothing(&selection, kind, &args.select, &args.cargo, seen));
    }
    for FoundHarness { harness, .. } in &selection.run {
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

/// Lists harnesses like libtest's `--list`: all names, or with `--ignored` only those with
/// `#[ignore]`.
pub fn as_libtest(found: Vec<FoundHarness>, settings: &RunSettings, part: PartArgs) {
    let listed = select(found, &settings.select.filters_of_all());
    let listed = listed.of_part(part.partition).run;
    for found in &listed {
        output::line(&format!("{}: test", found.harness.name));
    }
    let is_quiet = settings.form.verbosity == Verbosity::Quiet;
    if settings.form.format != Format::Libtest(FormatSetting::Terse) && !is_quiet {
        let s = if listed.len() == 1 { "" } else { "s" };
        output::line(&format!("\n{} test{s}, 0 benchmarks", listed.len()));
    }
}
