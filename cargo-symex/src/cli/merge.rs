//! `cargo symex merge-reports`: joins the reports of parts of a run.

use super::args::{MergeArgs, MessageFormat};
use super::report::read;
use super::resolve;
use super::run::here;
use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use crate::report::forms::{self, Form};
use crate::report::human::Calls;
use crate::report::merge::{Merged, Part, merge};
use crate::report::output;
use crate::report::page::{self, history::History};
use crate::report::{coverage, profile};

/// Runs `cargo symex merge-reports`. Returns the exit code of the whole run.
pub fn merge_reports(args: &MergeArgs) -> Result<ExitCode, CommandError> {
    output::set_color(resolve::color_choice(args.color));
    let outputs = args.reports.outputs();
    outputs.file("--output", args.output.as_ref()).check()?;
    let parts = args.files.iter().map(|file| {
        Ok(Part {
            name: file.display().to_string(),
            run: read(file)?,
        })
    });
    let parts = parts.collect::<Result<Vec<Part>, CommandError>>()?;
    let Merged { run, missing } = merge(parts)
        .map_err(|reason| CommandError::usage(format!("failed to merge the reports: {reason}")))?;
    if !missing.is_empty() {
        let missing: Vec<String> = missing.iter().map(ToString::to_string).collect();
        output::warning(&format!(
            "parts of the run are missing: {}",
            missing.join(", ")
        ));
    }
    let shown = match args.message_format {
        MessageFormat::Human => Form::Human(None, Calls::Shortest),
        MessageFormat::Json => Form::Json,
    };
    let here = here();
    let mut written = vec![(shown, None)];
    written.extend(
        args.output
            .iter()
            .map(|file| (Form::Json, Some(file.clone()))),
    );
    let files = args.reports.files().into_iter();
    written.extend(files.map(|(form, file)| (form, Some(file))));
    for (form, file) in written {
        forms::write(&run, form, &here, file.as_ref()).map_err(CommandError::usage)?;
    }
    if let Some(folder) = &args.reports.html {
        let written = page::write(&run, &History::default(), &here, folder);
        written.map_err(CommandError::usage)?;
    }
    for form in &args.reports.coverage {
        coverage::write(&run, form).map_err(CommandError::usage)?;
    }
    for form in &args.reports.profiling {
        profile::write(&run, form).map_err(CommandError::usage)?;
    }
    if let Some(job) = args.reports.job() {
        job.tell(&run, &here);
    }
    Ok(run.code)
}
