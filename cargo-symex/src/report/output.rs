//! Standard output and standard error.
//!
//! What is found must not be lost because it cannot be shown: a failure to write is kept until the
//! end of the run, and nothing more is written. A reader that has gone away is no error. Standard
//! error is for messages only; where they cannot be written, there is no other place to say so.

use crate::pipeline::error::CommandError;
use crate::pipeline::exit_code::ExitCode;
use std::fmt::Display;
use std::io::{Error, ErrorKind, Result, Write};
use std::sync::OnceLock;

/// Why nothing more is written to standard output. There is one a process, like what it is about.
static FAILURE: OnceLock<Error> = OnceLock::new();

/// Decides about colours for the process: this choice, then NO_COLOR and the like, then whether it
/// is a terminal.
pub fn set_color(choice: anstream::ColorChoice) {
    choice.write_global();
}

/// Do colours belong on standard output?
pub fn is_styled() -> bool {
    anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never
}

/// Writes a line to standard output; colours are removed where they do not belong.
pub fn line(text: &str) {
    let text = text.trim_end_matches('\n');
    attempt(|| writeln!(anstream::stdout().lock(), "{text}"));
}

/// Writes a JSON object in a line.
pub fn json(value: &serde_json::Value) {
    attempt(|| writeln!(std::io::stdout().lock(), "{value}"));
}

/// Writes what has the form of its report already.
pub fn bytes(bytes: &[u8]) {
    attempt(|| std::io::stdout().lock().write_all(bytes));
}

fn attempt(write: impl FnOnce() -> Result<()>) {
    if FAILURE.get().is_some() {
        return;
    }
    if let Err(error) = write().and_then(|()| std::io::stdout().flush()) {
        // The first is what is told.
        let _ = FAILURE.set(error);
    }
}

/// The exit code of a run that would end with this one, after what there is to say about standard
/// output.
pub fn end(code: ExitCode) -> ExitCode {
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

/// Writes what stopped the command to standard error.
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

/// Writes to standard error what to do about the message before.
pub fn help(text: &str) {
    let cyan = anstyle::AnsiColor::Cyan.on_default().bold();
    note(format_args!("{cyan}help{cyan:#}: {text}"));
}

/// Writes a line to standard error.
pub fn note(text: impl Display) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}
