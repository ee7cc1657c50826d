//! Errors of the compiler, with the places that they are about.

use std::path::PathBuf;

use cargo_metadata::Message;
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel, DiagnosticSpan};

/// An error of the compiler.
#[derive(Clone, Debug)]
pub struct CompileError {
    /// Places that it is about, with those of the calls of macros that led there.
    pub places: Vec<ErrorPlace>,
    /// The first line of the message.
    pub message: String,
    /// The whole message as the compiler prints it.
    pub rendered: String,
}

/// A place in code that an error is about.
#[derive(Clone, Debug)]
pub struct ErrorPlace {
    /// The file as the compiler names it.
    pub file: PathBuf,
    /// Line and column of its start, from 1.
    pub start: (usize, usize),
    /// Line and column after its end, from 1.
    pub end: (usize, usize),
    /// Whether the error is mainly about it.
    pub is_main: bool,
}

/// Reads the errors among cargo's messages in JSON.
pub(super) fn read(messages: &[u8]) -> Vec<CompileError> {
    let messages = Message::parse_stream(messages).flatten();
    let errors = messages.filter_map(|message| match message {
        Message::CompilerMessage(message) => Some(message.message),
        _ => None,
    });
    errors
        .filter(|error| matches!(error.level, DiagnosticLevel::Error))
        .map(of)
        .collect()
}

fn of(error: Diagnostic) -> CompileError {
    let mut places = Vec::new();
    for span in &error.spans {
        add(span, &mut places);
    }
    let line = error.message.lines().next().unwrap_or_default();
    CompileError {
        places,
        message: line.trim_end_matches(':').to_owned(),
        rendered: error.rendered.unwrap_or(error.message),
    }
}

/// Adds the place of a span, and those of the calls of macros that led there.
fn add(span: &DiagnosticSpan, places: &mut Vec<ErrorPlace>) {
    places.push(ErrorPlace {
        file: PathBuf::from(&span.file_name),
        start: (span.line_start, span.column_start),
        end: (span.line_end, span.column_end),
        is_main: span.is_primary,
    });
    if let Some(expansion) = &span.expansion {
        add(&expansion.span, places);
    }
}
