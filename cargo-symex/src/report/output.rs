//! Access to standard output and standard error.
//!
//! Findings must not be lost because they cannot be shown: a failure to write to standard output is
//! kept until the end of the run, and nothing more is written. A reader that has closed the pipe is
//! not an error. A file that cannot be written fails the command in the same way. Standard error is
//! for messages only; failures to write to it are ignored.

use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use std::fmt::Display;
use std::io::{Error, ErrorKind, Result, Write};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// The first error of writing to standard output, after which nothing more is written. It is
/// global, because standard output is.
static FAILURE: OnceLock<Error> = OnceLock::new();

/// Whether a file that was asked for could not be written, which has been said.
static UNWRITTEN: AtomicBool = AtomicBool::new(false);

/// Decides about colours for the process: by this choice, then `NO_COLOR` and the like, then
/// whether the output is a terminal.
pub fn set_color(choice: anstream::ColorChoice) {
    choice.write_global();
}

/// Reports whether standard output may contain colours.
pub fn is_styled() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Writes a line to standard output; colours are removed if the output should have none.
pub fn line(text: &str) {
    let text = text.trim_end_matches('\n');
    attempt(|| writeln!(anstream::stdout().lock(), "{text}"));
}

/// Writes a JSON object in a line.
pub fn json(value: &serde_json::Value) {
    attempt(|| writeln!(std::io::stdout().lock(), "{value}"));
}

/// Writes a file that was asked for. Fails with its path and the reason.
pub fn file(path: &Path, contents: impl AsRef<[u8]>) -> std::result::Result<(), String> {
    std::fs::write(path, contents)
        .map_err(|error| format!("failed to write {}: {error}", path.display()))
}

/// Writes bytes that already have the form of their report.
pub fn bytes(bytes: &[u8]) {
    attempt(|| std::io::stdout().lock().write_all(bytes));
}

fn attempt(write: impl FnOnce() -> Result<()>) {
    if FAILURE.get().is_some() {
        return;
    }
    if let Err(error) = write().and_then(|()| std::io::stdout().flush()) {
        // Only the first error is reported.
        let _ = FAILURE.set(error);
    }
}

/// Reports that a file which was asked for could not be written: the run goes on, and ends with the
/// exit code for that.
pub fn unwritten(message: &str) {
    error(message);
    UNWRITTEN.store(true, Ordering::Relaxed);
}

/// Reports a failure of standard output, if any, and returns the exit code of a run that would
/// otherwise end with `code`.
pub fn end(code: ExitCode) -> ExitCode {
    let code = match UNWRITTEN.load(Ordering::Relaxed) {
        true => code.and(ExitCode::Output),
        false => code,
    };
    match FAILURE.get() {
        None => code,
        Some(error) if error.kind() == ErrorKind::BrokenPipe => code,
        Some(error) => {
            self::error(&format!("failed to write to standard output: {error}"));
            ExitCode::Output
        }
    }
}

/// Writes an error to standard error, as cargo writes its errors.
pub fn error(text: &str) {
    let red = anstyle::AnsiColor::Red.on_default().bold();
    note(format_args!("{red}error{red:#}: {text}"));
}

/// Writes the error that stopped the command to standard error.
pub fn failure(error: &CommandError) {
    self::error(&error.message);
    if let Some(help) = &error.help {
        self::help(help);
    }
}

/// Writes a warning to standard error, as cargo writes its warnings.
pub fn warning(text: &str) {
    let yellow = anstyle::AnsiColor::Yellow.on_default().bold();
    note(format_args!("{yellow}warning{yellow:#}: {text}"));
}

/// Writes advice about the previous message to standard error.
pub fn help(text: &str) {
    let cyan = anstyle::AnsiColor::Cyan.on_default().bold();
    note(format_args!("{cyan}help{cyan:#}: {text}"));
}

/// Writes a line to standard error.
pub fn note(text: impl Display) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}
