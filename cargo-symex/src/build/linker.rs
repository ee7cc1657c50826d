//! The linker stand-in: records a link instead of doing it.
//!
//! An executable becomes a link manifest and a small starter script that links it natively when it
//! is first run. Shared libraries are linked immediately, because something may load them during
//! the build.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::error::BuildError;
use super::manifest::{self, LinkManifest, MANIFEST_VERSION, PathText};
use super::{native, response_file, stand_in};

/// The environment variables that affect what a linker finds.
const ENVIRONMENT: [&str; 5] = [
    "PATH",
    "LIBRARY_PATH",
    "COMPILER_PATH",
    "LD_RUN_PATH",
    "SOURCE_DATE_EPOCH",
];

/// Runs as the linker, under the name `started_as`.
pub fn run(started_as: &Path, arguments: Vec<OsString>) -> Result<ExitCode, BuildError> {
    let arguments = response_file::expand(arguments);
    let Some(output) = output_of(&arguments) else {
        return native::link_now(&arguments);
    };
    if arguments
        .iter()
        .any(|argument| argument == "-shared" || argument == "-r")
    {
        return native::link_now(&arguments);
    }
    let current_dir =
        std::env::current_dir().map_err(BuildError::file("finding the directory of", &output))?;
    let output = current_dir.join(output);
    let kept = manifest::kept_inputs(&output);
    match std::fs::remove_dir_all(&kept) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(BuildError::file("removing", &kept)(error));
        }
        _ => {}
    }
    std::fs::create_dir_all(&kept).map_err(BuildError::file("creating", &kept))?;
    let mut stored = Vec::new();
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        if argument == "-o" {
            arguments.next();
            continue;
        }
        let file = current_dir.join(&argument);
        let argument = if is_passing(&file, &output) {
            keep(&file, &kept, stored.len())?.into()
        } else {
            argument
        };
        stored.push(PathText(argument));
    }
    let environment = ENVIRONMENT
        .iter()
        .filter_map(|name| {
            std::env::var_os(name).map(|value| ((*name).to_owned(), PathText(value)))
        })
        .collect();
    let written = LinkManifest {
        version: MANIFEST_VERSION,
        output: output.clone().into(),
        current_dir: current_dir.into(),
        package: std::env::var_os("CARGO_MANIFEST_DIR").map(PathText),
        arguments: stored,
        environment,
    };
    written.write()?;
    write_starter(&stand_in::starter_beside(started_as), &output)?;
    Ok(ExitCode::SUCCESS)
}

fn output_of(arguments: &[OsString]) -> Option<PathBuf> {
    let position = arguments.iter().position(|argument| argument == "-o")?;
    arguments.get(position + 1).map(PathBuf::from)
}

/// Reports whether rustc deletes an input after linking: the crate's own objects, and everything in
/// its temporary directory.
fn is_passing(file: &Path, output: &Path) -> bool {
    let is_object = file.extension().is_some_and(|extension| extension == "o");
    let in_temporary = file
        .parent()
        .and_then(Path::file_name)
        .is_some_and(is_temporary_name);
    (in_temporary || is_object && file.parent() == output.parent()) && file.is_file()
}

/// Reports whether the name is that of a temporary directory of rustc: `rustc` and six more
/// characters.
fn is_temporary_name(name: &OsStr) -> bool {
    let name = name.as_bytes();
    name.len() == 11
        && name.starts_with(b"rustc")
        && name[5..].iter().all(u8::is_ascii_alphanumeric)
}

fn keep(file: &Path, directory: &Path, number: usize) -> Result<PathBuf, BuildError> {
    let mut name = OsString::from(format!("{number}-"));
    name.push(file.file_name().unwrap_or_default());
    let kept = directory.join(name);
    // rustc replaces its objects, it never writes into an old one: a second name for the file is as
    // good as a copy.
    if std::fs::hard_link(file, &kept).is_err() {
        std::fs::copy(file, &kept).map_err(BuildError::file("keeping a copy of", file))?;
    }
    Ok(kept)
}

/// Writes a script in place of the executable, which links it natively if it is run after all:
/// tests may run the binaries of their package.
fn write_starter(starter: &Path, output: &Path) -> Result<(), BuildError> {
    let mut script = b"#!/bin/sh\nexec ".to_vec();
    for word in [starter, output] {
        script.push(b'\'');
        for &byte in word.as_os_str().as_bytes() {
            if byte == b'\'' {
                script.extend(b"'\\''")
            } else {
                script.push(byte)
            }
        }
        script.extend(b"' ");
    }
    script.extend(b"\"$@\"\n");
    // A new file, not new contents: cargo may have given the old one a second name.
    let _ = std::fs::remove_file(output);
    std::fs::write(output, script).map_err(BuildError::file("writing", output))?;
    std::fs::set_permissions(output, std::fs::Permissions::from_mode(0o755))
        .map_err(BuildError::file("making executable", output))
}

/// Returns the executable that a starter script links and runs. Cargo gives the script of a binary
/// a second name.
pub(super) fn started_by(script: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(script).ok()?;
    let words = shlex::split(text.strip_prefix("#!/bin/sh\n")?.trim_end())?;
    match words.as_slice() {
        [_, _, executable, _] => Some(PathBuf::from(executable)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_directories_of_rustc_are_recognised() {
        assert!(is_temporary_name(OsStr::new("rustcNa1kRK")));
        assert!(!is_temporary_name(OsStr::new("rustc-hash1")));
        assert!(!is_temporary_name(OsStr::new("rustc")));
    }
}
