//! The error type of the command: one message, perhaps a line of help, and the exit code.

use super::exit_code::ExitCode;
use crate::build::{BuildError, Diagnosis};
use std::path::Path;

/// An error of the command; never a fault of the program under test.
#[derive(Clone, Debug)]
pub struct CommandError {
    /// Reads after "error: ".
    pub message: String,
    /// Advice for the user.
    pub help: Option<String>,
    pub code: ExitCode,
}

impl CommandError {
    /// Creates an error about the command line or a given file.
    pub fn usage(message: impl Into<String>) -> Self {
        CommandError {
            message: message.into(),
            help: None,
            code: ExitCode::Usage,
        }
    }

    /// Creates an error for a folder that cannot be written.
    pub fn unwritable(folder: &Path, error: std::io::Error) -> Self {
        CommandError::usage(format!(
            "failed to write into {}: {error}",
            folder.display()
        ))
    }

    /// Adds a line of help to the error.
    pub fn help(self, help: impl Into<String>) -> Self {
        CommandError {
            help: Some(help.into()),
            ..self
        }
    }

    /// Replaces the exit code of the error.
    pub fn code(self, code: ExitCode) -> Self {
        CommandError { code, ..self }
    }
}

/// Converts an error of the build for the user. Messages of cargo and rustc are on standard error
/// already.
impl From<BuildError> for CommandError {
    fn from(error: BuildError) -> Self {
        let code = match &error {
            BuildError::Compile(_) | BuildError::Cargo { .. } | BuildError::Carried { .. } => {
                ExitCode::BuildFailed
            }
            _ => ExitCode::Usage,
        };
        let what = match &error {
            BuildError::Translate(_) => "",
            _ => "build: ",
        };
        let failed = CommandError::usage(format!("failed to {what}{error}")).code(code);
        match &error {
            BuildError::OtherMachine { host, .. } => {
                failed.help(format!("`--target {host}` explores them for this machine"))
            }
            BuildError::Carried { offline, .. } => failed.help(match offline {
                true => {
                    "it needs proc-macro2, quote, syn and unicode-ident from the registry: run once without --offline"
                }
                false => {
                    "cargo's messages above say why; it needs proc-macro2, quote, syn and unicode-ident from the registry"
                }
            }),
            BuildError::Compile(diagnosis) => match advice(diagnosis) {
                Some(advice) => failed.help(advice),
                None => failed,
            },
            _ => failed,
        }
    }
}

/// Maximal number of files that are named.
const NAMED: usize = 5;

/// Returns advice about a crate that does not compile.
fn advice(diagnosis: &Diagnosis) -> Option<String> {
    let mut advice = Vec::new();
    if let Some(manifest) = diagnosis.without_runtime.first() {
        advice.push(dependency_for(manifest));
    }
    if !diagnosis.recorded.is_empty() {
        let here = std::env::current_dir().unwrap_or_default();
        let shown = |path: &Path| {
            let relative = path.strip_prefix(&here).unwrap_or(path);
            relative.display().to_string()
        };
        let count = diagnosis.recorded.len();
        let mut files: Vec<String> = diagnosis.recorded.iter().map(|path| shown(path)).collect();
        files.truncate(NAMED);
        if count > NAMED {
            files.push(format!("{} more", count - NAMED));
        }
        advice.push(format!(
            "tests that were recorded earlier do not compile, as when the arguments of their harness have changed: edit or \
             delete them in {}",
            files.join(", ")
        ));
    }
    if diagnosis.needs_nightly {
        advice.push(
            "features of nightly Rust are asked for: `cargo +nightly symex` builds with it"
                .to_owned(),
        );
    }
    (!advice.is_empty()).then(|| advice.join("\n\n"))
}

/// Returns the lines that a manifest needs for harnesses.
pub fn dependency_for(manifest: &Path) -> String {
    // The runtime beside the source that this tool was built from, if that still exists.
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("symex-runtime");
    let dependency = if beside.join("Cargo.toml").is_file() {
        format!("{{ path = {:?} }}", beside.display().to_string())
    } else {
        format!("{:?}", env!("CARGO_PKG_VERSION"))
    };
    format!(
        "harnesses need a dependency; add to {}:\n\n    [dev-dependencies]\n    symex-runtime = {dependency}\n",
        manifest.display()
    )
}
