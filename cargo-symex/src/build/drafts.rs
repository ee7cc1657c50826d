//! Runs of cargo for harnesses that are drafted: the description of a crate by rustdoc, and the
//! compiler's opinion of the drafts.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use cargo_metadata::Message;
use cargo_metadata::diagnostic::{Diagnostic, DiagnosticLevel, DiagnosticSpan};

use super::cargo::{cargo, set_form};
use super::error::BuildError;
use super::options::BuildOptions;
use super::tools;

/// An error of the compiler in a file.
#[derive(Clone, Debug)]
pub struct CompileError {
    /// Lines that it is about, from 1, and whether it is mainly about them.
    pub lines: Vec<(usize, bool)>,
    /// The first line of the message.
    pub message: String,
}

/// Writes a file, with the folders that it is in, unless it has this content.
pub fn write_changed(path: &Path, content: &[u8]) -> Result<(), BuildError> {
    if std::fs::read(path).is_ok_and(|known| known == content) {
        return Ok(());
    }
    let folder = path.parent().unwrap_or(path);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, content))
        .map_err(BuildError::file("writing", path))
}

/// Returns rustdoc's description of a library in JSON. It is made on the stable toolchain as well,
/// which only asks to be told that the form may change.
pub fn describe(
    options: &BuildOptions,
    package: &str,
    library: &str,
    target_dir: &Path,
) -> Result<Vec<u8>, BuildError> {
    let mut command = cargo(options);
    command.args(["rustdoc", "--lib", "-p", package]);
    if let Some(path) = &options.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    for features in &options.features {
        command.args(["--features", features]);
    }
    for (chosen, flag) in [
        (options.all_features, "--all-features"),
        (options.no_default_features, "--no-default-features"),
        (options.locked, "--locked"),
        (options.frozen, "--frozen"),
    ] {
        command.args(chosen.then_some(flag));
    }
    set_form(&mut command, options, target_dir);
    command.args(["--", "-Zunstable-options", "--output-format=json"]);
    // What a crate forbids is none of the description's business.
    command.arg("--cap-lints=allow");
    command.env("RUSTC_BOOTSTRAP", "1");
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = tools::output(&mut command)?;
    if !output.status.success() {
        return Err(BuildError::NoDescription);
    }
    let file = target_dir.join("doc").join(format!("{library}.json"));
    std::fs::read(&file).map_err(BuildError::file("reading the description", &file))
}

/// Compiles the tests of a package as far as errors show, and returns the errors in this source.
/// Fails if there are others.
pub fn check_tests(
    options: &BuildOptions,
    manifest: &Path,
    source: &Path,
    target_dir: &Path,
) -> Result<Vec<CompileError>, BuildError> {
    let mut command = cargo(options);
    command.args(["check", "--tests", "--message-format=json"]);
    command.arg("--manifest-path").arg(manifest);
    set_form(&mut command, options, target_dir);
    // Drafts that do not compile are no news; what else goes wrong is printed below.
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    let output = tools::output(&mut command)?;
    let root = manifest.parent().map(Path::to_owned).unwrap_or_default();
    let mut errors = Vec::new();
    let mut others = Vec::new();
    for message in Message::parse_stream(output.stdout.as_slice()).flatten() {
        let Message::CompilerMessage(message) = message else {
            continue;
        };
        let error = message.message;
        if !matches!(error.level, DiagnosticLevel::Error) {
            continue;
        }
        let mut lines = Vec::new();
        for span in &error.spans {
            lines_in(span, &root, source, &mut lines);
        }
        match lines.is_empty() {
            false => errors.push(CompileError {
                lines,
                message: first_line(&error),
            }),
            true => others.push(error),
        }
    }
    if output.status.success() {
        return Ok(Vec::new());
    }
    if errors.is_empty() {
        if others.is_empty() {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
        }
        for error in &others {
            eprint!("{}", error.rendered.as_deref().unwrap_or(&error.message));
        }
        return Err(match others.is_empty() {
            true => BuildError::Cargo {
                status: output.status,
            },
            false => BuildError::Compile(super::Diagnosis::default()),
        });
    }
    Ok(errors)
}

/// Adds the lines of a file that a place in code is about, or the call of a macro that led there.
fn lines_in(span: &DiagnosticSpan, root: &Path, source: &Path, lines: &mut Vec<(usize, bool)>) {
    let file = root.join(PathBuf::from(&span.file_name));
    if file == source {
        lines.push((span.line_start, span.is_primary));
    } else if let Some(expansion) = &span.expansion {
        lines_in(&expansion.span, root, source, lines);
    }
}

fn first_line(error: &Diagnostic) -> String {
    let line = error.message.lines().next().unwrap_or_default();
    line.trim_end_matches(':').to_owned()
}
