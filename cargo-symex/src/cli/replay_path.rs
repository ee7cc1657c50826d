//! `cargo symex replay --path`: shows the path that given inputs take, followed by the engine.

use super::args::MessageFormat;
use super::run::here;
use crate::pipeline::discover::{self, FoundHarness};
use crate::pipeline::error::CommandError;
use crate::pipeline::event::Monitor;
use crate::pipeline::exit_code::ExitCode;
use crate::pipeline::followed;
use crate::report::followed::{json, lines};
use crate::report::output;
use crate::source::place::Places;
use std::path::Path;
use symex_abi::inputs;
use symex_engine::{FollowedEnd, FollowedPath};

/// Shows the path that the inputs in a file take through a harness.
pub(super) fn path(
    found: &FoundHarness,
    file: &Path,
    format: MessageFormat,
    monitor: &dyn Monitor,
) -> Result<ExitCode, CommandError> {
    let unreadable = |why: String| {
        let file = file.display();
        CommandError::usage(format!("failed to read {file}: {why}"))
    };
    let text = std::fs::read_to_string(file).map_err(|error| unreadable(error.to_string()))?;
    let inputs = inputs::decode(&text).map_err(|line| unreadable(line.to_string()))?;
    let inputs = inputs.into_iter().map(|input| input.bytes).collect();
    let loaded = discover::load(std::slice::from_ref(found), true, monitor)?;
    let path = followed::follow(&found.harness, &loaded[0], inputs)?;
    match format {
        MessageFormat::Json => output::json(&json(&found.harness.name, &path)),
        _ => {
            let places = Places {
                here: here(),
                package: found.harness.manifest_dir.clone(),
            };
            for line in lines(&found.harness.name, &path, &places) {
                output::line(&line);
            }
        }
    }
    Ok(code(&path))
}

fn code(path: &FollowedPath) -> ExitCode {
    match path.end {
        _ if !path.findings.is_empty() => ExitCode::Bug,
        FollowedEnd::Assumed => ExitCode::Vacuous,
        FollowedEnd::Unsupported(_) | FollowedEnd::Bounded(_) => ExitCode::Inconclusive,
        _ => ExitCode::Pass,
    }
}
